#include "troupe/devices/data/window.hpp"

namespace troupe::data {
namespace {

using Elements = std::shared_ptr<const std::vector<Element>>;

class Window final : public Dataset {
 public:
  Window(DTypes dtypes, Shapes shapes, std::vector<Element> elements)
      : Dataset(std::move(dtypes), std::move(shapes)),
        elements_(std::make_shared<const std::vector<Element>>(std::move(elements))) {}

  Result<SharedSource> iterate(const std::shared_ptr<Iteration>&) const override {
    return SharedSource(std::make_shared<Source>(elements_));
  }

 private:
  struct Source final : ElementSource {
    explicit Source(Elements all) : elements(std::move(all)) {}
    std::optional<Pulled> pull(Done) override {
      if (next == elements->size()) return end_of_sequence();
      return Pulled((*elements)[next++]);
    }
    Elements elements;
    size_t next = 0;
  };

  Elements elements_;
};

}  // namespace

SharedDataset make_window(DTypes dtypes, Shapes shapes, std::vector<Element> elements) {
  return std::make_shared<Window>(std::move(dtypes), std::move(shapes), std::move(elements));
}

}  // namespace troupe::data
