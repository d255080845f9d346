#include <deque>
#include <mutex>

#include "troupe/devices/cpu/data/shuffling.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/random/distributions.hpp"
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
/// is used twice, as both inputs of a zip, has them twice: TensorFlow makes two of it. Those that a
/// function makes, at one place of a cycle, have them in turn.
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

/// Fills a buffer from the input, and gives its elements in random order. The input may be
/// repeated: the buffer then holds elements of later times while it gives those of earlier ones, in
/// the order of the times. Random numbers, and what they choose, are those of TensorFlow.
class Shuffled final : public data::SteppedSource {
 public:
  using Again = std::function<Result<data::SharedSource>()>;

  /// `times`: how often the input is read; -1: without end. `again` begins it anew.
  Shuffled(
      data::SharedSource input, int64_t buffer_size, SeedPair seeds, int64_t times, Again again)
      : input_(std::move(input)),
        again_(std::move(again)),
        times_left_(times),
        buffer_size_(static_cast<size_t>(buffer_size)),
        numbers_(seeds.numbers()) {
    if (times == 0) input_ = nullptr;
  }

 private:
  // As many times as TensorFlow's buffer spans at most, which bounds it where the input is short.
  static constexpr size_t ends_max = 3;

  std::optional<Pulled> begin() override {
    if (input_ && end_ - start_ < buffer_size_) return {};
    return draw();
  }
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok()) return answer;
    if (!answer->has_value()) return take_end();
    is_empty_ = false;
    auto slot = end_++ % buffer_size_;
    if (slot == buffer_.size()) buffer_.push_back(**std::move(answer));
    else buffer_[slot] = **std::move(answer);
    if (end_ - start_ < buffer_size_ && ends_.size() < ends_max) return {};
    return draw();
  }

  std::optional<Pulled> take_end() {
    // Without an element there would be none without end.
    if (times_left_ < 0 && is_empty_) times_left_ = 1;
    if (times_left_ > 0) --times_left_;
    input_ = nullptr;
    if (times_left_ == 0) return draw();
    auto source = again_();
    if (!source) return Pulled(source.status());
    input_ = *std::move(source);
    ends_.push_back(end_);
    return {};
  }

  Pulled draw() {
    while (!ends_.empty() && ends_.front() == start_) ends_.pop_front();
    auto count = (ends_.empty() ? end_ : ends_.front()) - start_;
    if (count == 0) return data::end_of_sequence();
    auto& first = buffer_[start_ % buffer_size_];
    auto& drawn = buffer_[(start_ + numbers_.next() % count) % buffer_size_];
    auto element = std::move(drawn);
    if (&drawn != &first) drawn = std::move(first);
    ++start_;
    return std::optional<Element>(std::move(element));
  }

  data::SharedSource input_;  // null at its end
  Again again_;
  int64_t times_left_;
  bool is_empty_ = true;
  size_t buffer_size_;
  PhiloxNumbers numbers_;
  std::vector<Element> buffer_;
  // What it holds, by numbers of elements: number i is at i modulo buffer_size_.
  size_t start_ = 0, end_ = 0;
  std::deque<size_t> ends_;  // where the times ended of which it has elements, but for the latest
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

/// What datasets of one node keep in an iteration, by parts that are of that node alone.
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
  return Kernel{.compute = [attrs, parts = DatasetParts()](Launch& launch) -> Status {
    auto seeds = seed_inputs(launch, 0);
    if (!seeds) return seeds.status();
    auto iterate = [=, seeds =
                           *seeds](const SharedIteration& iteration) -> Result<data::SharedSource> {
      auto drawn = iteration->state_of_input<SeedPair>(
          parts.seeds, [&] { return std::make_shared<SeedPair>(or_drawn(seeds, *iteration)); });
      return data::SharedSource(std::make_shared<RandomNumbers>(*drawn));
    };
    return set_dataset(launch, make_dataset(attrs, iterate));
  }};
}

/// A dataset in random order.
class ShuffledDataset final : public data::Dataset {
 public:
  struct How {
    int64_t buffer_size;
    SeedPair seeds;
    bool reshuffles;
    DatasetParts parts;
  };

  ShuffledDataset(const ElementAttrs& attrs, SharedDataset input, How how)
      : Dataset(attrs.dtypes, attrs.shapes), input_(std::move(input)), how_(std::move(how)) {}

  bool reshuffles() const { return how_.reshuffles; }

  Result<data::SharedSource> iterate(const SharedIteration& iteration) const override {
    auto seeds = drawn_seeds(*iteration);
    if (!how_.reshuffles) return begin(iteration, seeds, 1);
    auto make = [&] { return std::make_shared<ShuffleSeedSource>(seeds); };
    auto source = iteration->state_of_input<ShuffleSeedSource>(how_.parts.source, make);
    return begin(iteration, source->next(), 1);
  }

  /// With the random numbers of TensorFlow's ShuffleAndRepeatDataset, which do not begin anew.
  Result<data::SharedSource> iterate_times(const SharedIteration& iteration, int64_t times) const {
    return begin(iteration, drawn_seeds(*iteration), times);
  }

 private:
  SeedPair drawn_seeds(data::Iteration& iteration) const {
    return *iteration.state_of_input<SeedPair>(how_.parts.seeds, [&] {
      return std::make_shared<SeedPair>(or_drawn(how_.seeds, iteration));
    });
  }

  Result<data::SharedSource> begin(
      const SharedIteration& iteration, SeedPair seeds, int64_t times) const {
    auto source = input_->iterate(iteration);
    if (!source) return source;
    auto again = [input = input_, iteration] { return input->iterate(iteration); };
    return data::SharedSource(std::make_shared<Shuffled>(
        *std::move(source), how_.buffer_size, seeds, times, std::move(again)));
  }

  SharedDataset input_;
  How how_;
};

Result<std::shared_ptr<const ShuffledDataset>> shuffled(
    Launch& launch, const ElementAttrs& attrs, bool reshuffles, const DatasetParts& parts) {
  auto input = dataset_input(launch, 0);
  if (!input) return input.status();
  if (auto status = attrs.check((*input)->dtypes()); !status.ok()) return status;
  auto size = number_input(launch, 1, "buffer_size");
  if (!size) return size.status();
  if (*size <= 0) return invalid_argument("buffer_size must be greater than zero.");
  auto seeds = seed_inputs(launch, 2);
  if (!seeds) return seeds.status();
  ShuffledDataset::How how{*size, *seeds, reshuffles, parts};
  return std::make_shared<const ShuffledDataset>(attrs, *std::move(input), std::move(how));
}

Result<Kernel> make_shuffle_dataset(const Node& node) {
  auto compute = [attrs = ElementAttrs(node), parts = DatasetParts(),
                  reshuffles = node.attr<bool>("reshuffle_each_iteration")](Launch& launch) {
    auto dataset = shuffled(launch, attrs, reshuffles, parts);
    if (!dataset) return dataset.status();
    return set_dataset(launch, *std::move(dataset));
  };
  return Kernel{.compute = std::move(compute)};
}

Result<Kernel> make_shuffle_and_repeat_dataset(const Node& node) {
  return Kernel{
      .compute = [attrs = ElementAttrs(node), parts = DatasetParts()](Launch& launch) -> Status {
        auto shuffle = shuffled(launch, attrs, /*reshuffles=*/true, parts);
        if (!shuffle) return shuffle.status();
        auto count = number_input(launch, 4, "count");
        if (!count) return count.status();
        if (*count != -1 && *count <= 0)
          return invalid_argument("count must be greater than zero or equal to -1.");
        auto iterate = [shuffle = *shuffle, count = *count](const SharedIteration& iteration) {
          return shuffle->iterate_times(iteration, count);
        };
        return set_dataset(launch, make_dataset(attrs, iterate));
      }};
}

/// Each element with a probability, by random numbers that are those of TensorFlow.
class Sampled final : public data::SteppedSource {
 public:
  Sampled(data::SharedSource input, float rate, SeedPair seeds)
      : input_(std::move(input)), rate_(rate), numbers_(seeds.numbers()) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok() || !answer->has_value()) return answer;
    if (unit_float(numbers_) < rate_) return answer;
    return {};
  }

  data::SharedSource input_;
  float rate_;
  PhiloxNumbers numbers_;
};

Result<Kernel> make_sampling_dataset(const Node& node) {
  return transform_kernel(
      node,
      [parts = DatasetParts()](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
        auto rate = scalar_input<float>(launch.input(1), "rate");
        if (!rate) return rate.status();
        auto seeds = seed_inputs(launch, 2);
        if (!seeds) return seeds.status();
        return Iterate(
            [=, rate = *rate,
             seeds = *seeds](const SharedIteration& iteration) -> Result<data::SharedSource> {
              auto source = input->iterate(iteration);
              if (!source) return source;
              auto drawn = iteration->state_of_input<SeedPair>(parts.seeds, [&] {
                return std::make_shared<SeedPair>(or_drawn(seeds, *iteration));
              });
              return data::SharedSource(
                  std::make_shared<Sampled>(*std::move(source), rate, *drawn));
            });
      });
}

}  // namespace

std::optional<Iterate> shuffled_and_repeated(const SharedDataset& input, int64_t count) {
  auto dataset = std::dynamic_pointer_cast<const ShuffledDataset>(input);
  if (!dataset || !dataset->reshuffles()) return {};
  return [=](const SharedIteration& iteration) { return dataset->iterate_times(iteration, count); };
}

void add_dataset_shuffling_kernels(KernelCatalog& catalog) {
  catalog.add("ShuffleDataset", make_shuffle_dataset);
  catalog.add("ShuffleAndRepeatDataset", make_shuffle_and_repeat_dataset);
  catalog.add("SamplingDataset", make_sampling_dataset);
  catalog.add("RandomDataset", make_random_dataset);
  catalog.add("ExperimentalRandomDataset", make_random_dataset);
}

}  // namespace troupe::cpu
