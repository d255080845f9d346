#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/shuffling.hpp"
#include "troupe/devices/data/stepped_source.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;

bool is_end(const Pulled& answer) { return answer.ok() && !answer->has_value(); }

/// The input `count` times, or without end where that is negative.
class Repeated final : public data::SteppedSource {
 public:
  Repeated(
      SharedIteration iteration, data::SharedSource input, SharedDataset dataset, int64_t count)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        dataset_(std::move(dataset)),
        left_(count) {}

 private:
  std::optional<Pulled> begin() override {
    if (left_ == 0) return data::end_of_sequence();
    return {};
  }
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!is_end(answer)) {
      is_empty_ = false;
      return answer;
    }
    // Without an element there would be none without end.
    if (is_empty_) left_ = 0;
    if (left_ > 0) --left_;
    if (left_ == 0) return answer;
    is_empty_ = true;
    auto again = dataset_->iterate(iteration_);
    if (!again) return Pulled(again.status());
    input_ = *std::move(again);
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  SharedDataset dataset_;
  int64_t left_;
  bool is_empty_ = true;
};

class First final : public data::SteppedSource {
 public:
  First(SharedIteration, data::SharedSource input, int64_t count)
      : input_(std::move(input)), left_(count) {}

 private:
  std::optional<Pulled> begin() override {
    if (left_ == 0) return data::end_of_sequence();
    return {};
  }
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }
  std::optional<Pulled> take(Pulled answer) override {
    if (is_end(answer)) left_ = 0;
    else if (left_ > 0 && answer.ok()) --left_;
    return answer;
  }

  data::SharedSource input_;
  int64_t left_;
};

/// Every so many elements, from one on: all but the first ones, or a shard.
class Selected final : public data::SteppedSource {
 public:
  struct Choice {
    int64_t first;
    int64_t every = 1;
    bool needs_one = false;
  };

  Selected(SharedIteration, data::SharedSource input, Choice choice)
      : input_(std::move(input)), choice_(choice), next_(choice.first) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok()) return answer;
    if (!answer->has_value()) {
      if (choice_.needs_one && index_ < choice_.every) return too_few();
      return answer;
    }
    if (index_++ != next_) return {};
    next_ += choice_.every;
    return answer;
  }

  std::optional<Pulled> too_few() const {
    return Pulled(invalid_argument(
        "There aren't enough elements in this dataset for each shard to have at least one element "
        "(# elems = " +
        std::to_string(index_) + ", # shards = " + std::to_string(choice_.every) + ")."));
  }

  data::SharedSource input_;
  Choice choice_;
  int64_t index_ = 0;
  int64_t next_;
};

/// All but those that could not be made. An input that stays where it failed, as at a file that is
/// not there, ends with its error.
class WithoutErrors final : public data::SteppedSource {
 public:
  WithoutErrors(SharedIteration iteration, data::SharedSource input)
      : iteration_(std::move(iteration)), input_(std::move(input)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    constexpr int most_repeats = 10'000;
    if (answer.ok()) {
      repeats_ = 0;
      return answer;
    }
    const auto& status = answer.status();
    if (iteration_->is_stopped() || status.code() == Code::cancelled) return answer;
    if (status.message() != last_error_) {
      last_error_ = status.message();
      repeats_ = 0;
    }
    if (++repeats_ > most_repeats) return answer;
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  std::string last_error_;
  int repeats_ = 0;
};

/// Each element the first time that it comes.
class Distinct final : public data::SteppedSource {
 public:
  Distinct(SharedIteration, data::SharedSource input) : input_(std::move(input)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!answer.ok() || !answer->has_value()) return answer;
    if (!seen_.insert(bytes_of((**answer)[0])).second) return {};
    return answer;
  }

  /// Its shape and elements, different for different ones.
  static std::string bytes_of(const Tensor& tensor) {
    auto bytes = tensor.shape().to_string();
    if (tensor.dtype() != DType::string)
      return bytes.append(static_cast<const char*>(tensor.raw()), tensor.bytes());
    for (const auto& each : tensor.values<std::string>())
      bytes.append(std::to_string(each.size())).append(":").append(each);
    return bytes;
  }

  data::SharedSource input_;
  std::unordered_set<std::string> seen_;
};

class Zipped final : public data::SteppedSource {
 public:
  explicit Zipped(std::vector<data::SharedSource> inputs) : inputs_(std::move(inputs)) {}

 private:
  std::optional<Pulled> begin() override {
    element_.clear();
    input_ = 0;
    if (is_ended_) return data::end_of_sequence();
    return {};
  }
  std::optional<Pulled> ask(Done done) override { return inputs_[input_]->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    is_ended_ = is_end(answer);
    if (!answer.ok() || is_ended_) return answer;
    for (auto& component : **answer) element_.push_back(std::move(component));
    if (++input_ < inputs_.size()) return {};
    return Pulled(std::optional<Element>(std::move(element_)));
  }

  std::vector<data::SharedSource> inputs_;
  size_t input_ = 0;
  Element element_;
  bool is_ended_ = false;
};

class Concatenated final : public data::SteppedSource {
 public:
  Concatenated(SharedIteration iteration, data::SharedSource first, SharedDataset second)
      : iteration_(std::move(iteration)), input_(std::move(first)), second_(std::move(second)) {}

 private:
  std::optional<Pulled> ask(Done done) override { return input_->pull(std::move(done)); }

  std::optional<Pulled> take(Pulled answer) override {
    if (!is_end(answer) || !second_) return answer;
    auto next = std::exchange(second_, nullptr)->iterate(iteration_->of_input(1));
    if (!next) return Pulled(next.status());
    input_ = *std::move(next);
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  SharedDataset second_;  // null once it has begun
};

/// The kernel of a transformation by a count, input 1.
template <class Make>
KernelCatalog::Make make_counted(Make make) {
  return [make](const Node& node) -> Result<Kernel> {
    return transform_kernel(
        node, [make](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
          auto count = number_input(launch, 1, "count");
          if (!count) return count.status();
          return make(input, *count);
        });
  };
}

Iterate repeat(const SharedDataset& input, int64_t count) {
  if (auto fused = shuffled_and_repeated(input, count)) return *std::move(fused);
  return over<Repeated>(input, input, count);
}
Iterate take_first(const SharedDataset& input, int64_t count) { return over<First>(input, count); }
Iterate skip_first(const SharedDataset& input, int64_t count) {
  if (count < 0) return over<First>(input, int64_t{0});
  return over<Selected>(input, Selected::Choice{.first = count});
}

Result<Kernel> make_shard(const Node& node) {
  auto needs_one = node.attr<bool>("require_non_empty");
  return transform_kernel(node, [=](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
    auto count = number_input(launch, 1, "num_shards");
    if (!count) return count.status();
    auto index = number_input(launch, 2, "index");
    if (!index) return index.status();
    if (*count <= 0)
      return invalid_argument(
          "Number of shards must be greater than zero (currently num_shards = " +
          std::to_string(*count) + ").");
    if (*index < 0 || *index >= *count)
      return invalid_argument(
          "Index must be between 0 and " + std::to_string(*count - 1) +
          " (currently index = " + std::to_string(*index) + ").");
    return over<Selected>(input, Selected::Choice{*index, *count, needs_one});
  });
}

Iterate zip(const std::vector<SharedDataset>& inputs) {
  return [inputs](const SharedIteration& iteration) -> Result<data::SharedSource> {
    std::vector<data::SharedSource> sources;
    for (const auto& input : inputs) {
      auto source = input->iterate(iteration->of_input(sources.size()));
      if (!source) return source;
      sources.push_back(*std::move(source));
    }
    return data::SharedSource(std::make_shared<Zipped>(std::move(sources)));
  };
}

Result<Kernel> make_zip(const Node& node) {
  return Kernel{.compute = [attrs = ElementAttrs(node)](Launch& launch) {
    std::vector<SharedDataset> inputs;
    DTypes dtypes;
    for (int i = 0; i < launch.input_count(); ++i) {
      auto input = dataset_input(launch, i);
      if (!input) return input.status();
      dtypes.insert(dtypes.end(), (*input)->dtypes().begin(), (*input)->dtypes().end());
      inputs.push_back(*std::move(input));
    }
    if (auto status = attrs.check(dtypes); !status.ok()) return status;
    return set_dataset(launch, make_dataset(attrs, zip(inputs)));
  }};
}

Iterate concatenate(const SharedDataset& first, const SharedDataset& second) {
  return [=](const SharedIteration& iteration) -> Result<data::SharedSource> {
    auto source = first->iterate(iteration->of_input(0));
    if (!source) return source;
    return data::SharedSource(
        std::make_shared<Concatenated>(iteration, *std::move(source), second));
  };
}

Result<Kernel> make_concatenate(const Node& node) {
  return transform_kernel(
      node,
      [attrs = ElementAttrs(node)](Launch& launch, const SharedDataset& input) -> Result<Iterate> {
        auto second = dataset_input(launch, 1);
        if (!second) return second.status();
        if (auto status = attrs.check((*second)->dtypes()); !status.ok()) return status;
        return concatenate(input, *second);
      });
}

Result<Kernel> make_ignore_errors(const Node& node) {
  return transform_kernel(node, [](Launch&, const SharedDataset& input) -> Result<Iterate> {
    return over<WithoutErrors>(input);
  });
}

/// What TensorFlow's graphs of datasets ask for. As nothing is fused or moved, only one has effect.
constexpr std::array optimizations = {
    "filter_fusion",
    "filter_with_random_uniform_fusion",
    "hoist_random_uniform",
    "inject_prefetch",
    "latency_all_edges",
    "make_numa_aware",
    "make_sloppy",
    "map_and_batch_fusion",
    "map_and_filter_fusion",
    "map_fusion",
    "map_parallelization",
    "map_vectorization",
    "noop_elimination",
    "parallel_batch",
    "shuffle_and_repeat_fusion",
    "slack"};

Result<Kernel> make_optimized(const Node& node) {
  return transform_kernel(
      node, [](const Launch& launch, const SharedDataset& input) -> Result<Iterate> {
        const auto& names = launch.input(1);
        if (names.shape().rank() != 1) return invalid_argument("optimizations must be a vector");
        auto keeps_order = true;
        for (const auto& name : names.values<std::string>()) {
          if (!std::ranges::count(optimizations, name))
            return invalid_argument("there is no optimization '" + name + "'");
          if (name == "make_sloppy") keeps_order = false;
        }
        return Iterate([=](const SharedIteration& iteration) {
          return input->iterate(keeps_order ? iteration : iteration->without_order());
        });
      });
}

Result<Kernel> make_unique(const Node& node) {
  return transform_kernel(node, [](Launch&, const SharedDataset& input) -> Result<Iterate> {
    const auto& dtypes = input->dtypes();
    constexpr std::array known = {DType::int32, DType::int64, DType::string};
    if (dtypes.size() != 1 || !std::ranges::count(known, dtypes[0]))
      return invalid_argument(
          "elements of one component, int32, int64 or string, can be told apart, no others");
    return over<Distinct>(input);
  });
}

}  // namespace

void add_dataset_ordering_kernels(KernelCatalog& catalog) {
  catalog.add("RepeatDataset", make_counted(repeat));
  catalog.add("TakeDataset", make_counted(take_first));
  catalog.add("SkipDataset", make_counted(skip_first));
  catalog.add("ShardDataset", make_shard);
  catalog.add("ZipDataset", make_zip);
  catalog.add("ConcatenateDataset", make_concatenate);
  catalog.add("OptimizeDataset", make_optimized);
  for (const std::string prefix : {"", "Experimental"}) {
    catalog.add(prefix + "IgnoreErrorsDataset", make_ignore_errors);
    catalog.add(prefix + "UniqueDataset", make_unique);
  }
}

}  // namespace troupe::cpu
