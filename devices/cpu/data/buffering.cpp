#include <algorithm>
#include <limits>
#include <mutex>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/file_cache.hpp"
#include "troupe/devices/data/buffered_source.hpp"
#include "troupe/devices/data/stepped_source.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;

constexpr int64_t autotune = -1;
constexpr int64_t chosen_buffer_size = 16;

/// The elements of one complete iteration, for the later ones.
class ElementCache {
 public:
  using Elements = std::shared_ptr<const std::vector<Element>>;

  /// Null before the first complete iteration.
  Elements get() const {
    std::lock_guard lock(mutex_);
    return elements_;
  }
  void set(std::vector<Element> elements) {
    std::lock_guard lock(mutex_);
    if (!elements_) elements_ = std::make_shared<const std::vector<Element>>(std::move(elements));
  }

 private:
  mutable std::mutex mutex_;
  Elements elements_;
};

class CacheReader final : public data::ElementSource {
 public:
  explicit CacheReader(ElementCache::Elements elements) : elements_(std::move(elements)) {}

  std::optional<Pulled> pull(Done) override {
    if (next_ == elements_->size()) return data::end_of_sequence();
    return Pulled(std::optional<Element>((*elements_)[next_++]));
  }

 private:
  ElementCache::Elements elements_;
  size_t next_ = 0;
};

class CacheWriter final : public data::SteppedSource {
 public:
  CacheWriter(data::SharedSource input, std::shared_ptr<ElementCache> cache)
      : input_(std::move(input)), cache_(std::move(cache)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok()) is_complete_ = false;
    else if (answer->has_value()) elements_.push_back(**answer);
    else if (std::exchange(is_complete_, false)) cache_->set(std::move(elements_));
    return answer;
  }

  data::SharedSource input_;
  std::shared_ptr<ElementCache> cache_;
  std::vector<Element> elements_;
  bool is_complete_ = true;  // nothing is missing so far
};

Result<Iterate> cache(Launch& launch, const SharedDataset& input) {
  const auto& filename = launch.input(1);
  if (!filename.shape().is_scalar()) return invalid_argument("filename must be a scalar");
  if (auto file = filename.value<std::string>(); !file.empty())
    return Iterate(
        [=](const SharedIteration& iteration) { return iterate_cached(file, input, iteration); });
  auto cache = std::make_shared<ElementCache>();
  return Iterate([=](const SharedIteration& iteration) -> Result<data::SharedSource> {
    if (auto elements = cache->get())
      return data::SharedSource(std::make_shared<CacheReader>(std::move(elements)));
    auto source = input->iterate(iteration);
    if (!source) return source;
    return data::SharedSource(std::make_shared<CacheWriter>(*std::move(source), cache));
  });
}

Result<Iterate> prefetch(Launch& launch, const SharedDataset& input) {
  auto size = number_input(launch, 1, "buffer_size");
  if (!size) return size.status();
  if (*size < autotune)
    return invalid_argument("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
  auto capacity = *size == autotune ? chosen_buffer_size : *size;
  return Iterate([=](const SharedIteration& iteration) -> Result<data::SharedSource> {
    auto source = input->iterate(iteration);
    if (!source || capacity == 0) return source;
    return data::SharedSource(std::make_shared<data::BufferedSource>(
        iteration, *std::move(source), static_cast<size_t>(capacity)));
  });
}

Result<Kernel> make_cache(const Node& node) { return transform_kernel(node, cache); }
Result<Kernel> make_prefetch(const Node& node) { return transform_kernel(node, prefetch); }

// -- datasets that say how elements are made, and not which they are

/// What the last input says must be a number in these bounds.
struct Bounds {
  const char* name = nullptr;  // null: the op has no such input
  int64_t end = std::numeric_limits<int64_t>::max();
};

Status check_number(const Launch& launch, const Bounds& bounds) {
  if (!bounds.name) return {};
  auto number = number_input(launch, 1, bounds.name);
  if (!number) return number.status();
  if (*number >= 0 && *number < bounds.end) return {};
  return invalid_argument(
      std::string("`") + bounds.name + "` must be " +
      (*number < 0 ? ">= 0" : "< " + std::to_string(bounds.end)));
}

Iterate as_input(const SharedDataset& input) {
  return [input](const SharedIteration& iteration) { return input->iterate(iteration); };
}

KernelCatalog::Make make_unchanging(const Bounds& bounds) {
  return [bounds](const Node& node) -> Result<Kernel> {
    return transform_kernel(
        node, [bounds](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
          if (auto status = check_number(launch, bounds); !status.ok()) return status;
          return as_input(input);
        });
  };
}

Status check_tag(const Launch& launch) {
  if (launch.input(1).shape().is_scalar()) return {};
  return invalid_argument("tag must be a scalar");
}

Result<Kernel> make_tagged(const Node& node) {
  return transform_kernel(node, [](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
    if (auto status = check_tag(launch); !status.ok()) return status;
    return as_input(input);
  });
}

Result<Kernel> make_fastest(const Node& node) {
  return transform_kernel(
      node,
      [attrs = ElementAttrs(node)](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
        for (int i = 1; i < launch.input_count(); ++i) {
          auto other = dataset_input(launch, i);
          if (!other) return other.status();
          if (auto status = attrs.check((*other)->dtypes()); !status.ok()) return status;
        }
        return as_input(input);
      });
}

void add_unchanging_kernels(KernelCatalog& catalog) {
  constexpr int64_t threads_end = 65536;
  catalog.add("ModelDataset", make_unchanging({}));
  for (const std::string prefix : {"", "Experimental"}) {
    catalog.add(prefix + "NonSerializableDataset", make_unchanging({}));
    catalog.add(prefix + "AssertNextDataset", make_unchanging({}));
    catalog.add(
        prefix + "MaxIntraOpParallelismDataset", make_unchanging({"max_intra_op_parallelism"}));
    catalog.add(prefix + "PrivateThreadPoolDataset", make_unchanging({"num_threads", threads_end}));
    catalog.add(prefix + "LatencyStatsDataset", make_tagged);
    catalog.add(prefix + "BytesProducedStatsDataset", make_tagged);
    catalog.add(prefix + "ChooseFastestDataset", make_fastest);
  }
}

}  // namespace

void add_dataset_buffering_kernels(KernelCatalog& catalog) {
  catalog.add("PrefetchDataset", make_prefetch);
  catalog.add("CacheDataset", make_cache);
  add_unchanging_kernels(catalog);
}

}  // namespace troupe::cpu
