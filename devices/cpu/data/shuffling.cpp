#include <deque>
#include <mutex>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/random/philox.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/data/stepped_source.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;

struct SeedPair {
  int64_t first, second;

  PhiloxNumbers numbers() const {
    return PhiloxNumbers(Philox(static_cast<uint64_t>(first), static_cast<uint64_t>(second)));
  }
};

/// The seeds of the iterations over one dataset, one after the other. Thread-safe. A dataset that
/// is used twice, as both inputs of a zip, has them twice: TensorFlow makes two of it.
class ShuffleSeedSource {
 public:
  explicit ShuffleSeedSource(SeedPair start) : numbers_(start.numbers()) {}

  SeedPair next() {
    std::lock_guard lock(mutex_);
    auto first = numbers_.next(), second = numbers_.next();
    return {first, second};
  }

 private:
  std::mutex mutex_;
  PhiloxNumbers numbers_;
};

/// Fills a buffer from the input, and gives its elements in random order. Random numbers, and what
/// they choose, are those of TensorFlow.
class Shuffled final : public data::SteppedSource {
 public:
  Shuffled(data::SharedSource input, int64_t buffer_size, SeedPair seeds)
      : input_(std::move(input)),
        buffer_size_(static_cast<size_t>(buffer_size)),
        numbers_(seeds.numbers()) {}

 private:
  std::optional<Pulled> begin() override {
    if (input_) return {};
    return draw();
  }
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok()) return answer;
    if (!answer->has_value()) {
      input_ = nullptr;
      return draw();
    }
    auto slot = end_++ % buffer_size_;
    if (slot == buffer_.size()) buffer_.push_back(**std::move(answer));
    else buffer_[slot] = **std::move(answer);
    if (end_ - start_ < buffer_size_) return {};
    return draw();
  }

  Pulled draw() {
    auto count = end_ - start_;
    if (count == 0) return data::end_of_sequence();
    auto& first = buffer_[start_ % buffer_size_];
    auto& drawn = buffer_[(start_ + numbers_.next() % count) % buffer_size_];
    auto element = std::move(drawn);
    if (&drawn != &first) drawn = std::move(first);
    ++start_;
    return std::optional<Element>(std::move(element));
  }

  data::SharedSource input_;  // null at its end
  size_t buffer_size_;
  PhiloxNumbers numbers_;
  std::vector<Element> buffer_;
  // What it holds, by numbers of elements: number i is at i modulo buffer_size_.
  size_t start_ = 0, end_ = 0;
};

/// Random numbers of 32 bits without an end, which are those of TensorFlow.
class RandomNumbers final : public data::ElementSource {
 public:
  explicit RandomNumbers(SeedPair seeds) : numbers_(seeds.numbers()) {}

  std::optional<Pulled> pull(Done) override {
    return Pulled(std::optional<Element>(Element{Tensor::scalar<int64_t>(numbers_.next())}));
  }

 private:
  PhiloxNumbers numbers_;
};

/// What one dataset keeps in an iteration, by parts that are of that dataset alone.
struct DatasetParts {
  std::shared_ptr<const void> seeds = std::make_shared<char>();
  std::shared_ptr<const void> source = std::make_shared<char>();
};

/// Seeds that nobody has asked for are the same in all of an iteration, and in one that goes on
/// where it was.
SeedPair or_drawn(SeedPair seeds, data::Iteration& iteration) {
  if (seeds.first != 0 || seeds.second != 0) return seeds;
  auto first = iteration.seed(fresh_seed), second = iteration.seed(fresh_seed);
  return {static_cast<int64_t>(first), static_cast<int64_t>(second)};
}

/// Inputs `at` and the one behind it.
Result<SeedPair> seed_inputs(const Launch& launch, int at) {
  auto first = number_input(launch, at, "seed");
  if (!first) return first.status();
  auto second = number_input(launch, at + 1, "seed2");
  if (!second) return second.status();
  return SeedPair{*first, *second};
}

Result<Kernel> make_random_dataset(const Node& node) {
  ElementAttrs attrs(node);
  if (attrs.dtypes != DTypes{DType::int64})
    return invalid_argument("the elements of a dataset of random numbers are int64 scalars");
  return Kernel{.compute = [attrs](Launch& launch) -> Status {
    auto seeds = seed_inputs(launch, 0);
    if (!seeds) return seeds.status();
    DatasetParts parts;
    auto iterate = [=, seeds =
                           *seeds](const SharedIteration& iteration) -> Result<data::SharedSource> {
      auto drawn = iteration->state_of_input<SeedPair>(
          parts.seeds, [&] { return std::make_shared<SeedPair>(or_drawn(seeds, *iteration)); });
      return data::SharedSource(std::make_shared<RandomNumbers>(*drawn));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

Result<Iterate> shuffle(Launch& launch, const SharedDataset& input, bool reshuffles) {
  auto size = number_input(launch, 1, "buffer_size");
  if (!size) return size.status();
  if (*size <= 0) return invalid_argument("buffer_size must be greater than zero.");
  auto given = seed_inputs(launch, 2);
  if (!given) return given.status();
  DatasetParts parts;
  return Iterate(
      [=, size = *size,
       seeds = *given](const SharedIteration& iteration) -> Result<data::SharedSource> {
        auto source = input->iterate(iteration);
        if (!source) return source;
        auto mine = *iteration->state_of_input<SeedPair>(
            parts.seeds, [&] { return std::make_shared<SeedPair>(or_drawn(seeds, *iteration)); });
        if (reshuffles) {
          auto make = [&] { return std::make_shared<ShuffleSeedSource>(mine); };
          mine = iteration->state_of_input<ShuffleSeedSource>(parts.source, make)->next();
        }
        return data::SharedSource(std::make_shared<Shuffled>(*std::move(source), size, mine));
      });
}

Result<Kernel> make_shuffle_dataset(const Node& node) {
  auto reshuffles = node.attr<bool>("reshuffle_each_iteration");
  return transform_kernel(node, [=](Launch& launch, const SharedDataset& input) {
    return shuffle(launch, input, reshuffles);
  });
}

}  // namespace

void add_dataset_shuffling_kernels(KernelCatalog& catalog) {
  catalog.add("ShuffleDataset", make_shuffle_dataset);
  catalog.add("RandomDataset", make_random_dataset);
  catalog.add("ExperimentalRandomDataset", make_random_dataset);
}

}  // namespace troupe::cpu
