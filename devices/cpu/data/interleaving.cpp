#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/captured_function.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/cpu/data/grouping.hpp"
#include "troupe/devices/cpu/data/mapping.hpp"
#include "troupe/devices/data/buffered_source.hpp"
#include "troupe/devices/data/merged_source.hpp"
#include "troupe/devices/data/stepped_source.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;

struct Cycle {
  int64_t length;
  int64_t block_length;
  bool is_parallel = false;  // the datasets are read before it is their turn
  bool keeps_order = true;
  bool is_flat = false;  // each dataset is at a place of its own
  int64_t ahead = 0;     // how many elements of each are; 0: as the block length says
};

/// The elements of a dataset, read ahead.
data::SharedSource read_ahead(
    const SharedIteration& iteration, data::SharedSource source, const Cycle& cycle) {
  auto wanted = cycle.ahead > 0 ? cycle.ahead : cycle.block_length + 1;
  auto ahead = std::make_shared<data::BufferedSource>(
      iteration, std::move(source), static_cast<size_t>(std::min<int64_t>(wanted, 65)));
  ahead->start();
  return ahead;
}

/// Begins with the dataset that is the only component of an element.
Result<data::SharedSource> iterate_component(
    const Element& element, const SharedIteration& iteration) {
  auto dataset = data::dataset_of(element[0]);
  if (!dataset) return dataset.status();
  return (*dataset)->iterate(iteration);
}

/// Gives an error where an element would have come, and then ends.
class Failed final : public data::ElementSource {
 public:
  explicit Failed(Status why) : why_(std::move(why)) {}

  std::optional<Pulled> pull(Done) override {
    auto why = std::exchange(why_, Status());
    if (why.ok()) return data::end_of_sequence();
    return Pulled(std::move(why));
  }

 private:
  Status why_;
};

/// The elements of datasets, which are the elements of the input, `length` of them in turns. Places
/// in the cycle are filled in order, each when it is its turn, or, in parallel, all before the
/// first element: an error is then what an element would be, at its place.
class Interleaved final : public data::SteppedSource {
 public:
  Interleaved(SharedIteration iteration, data::SharedSource input, Cycle cycle)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        cycle_(cycle),
        is_opening_(cycle.is_parallel) {}

 private:
  std::optional<Pulled> begin() override {
    if (!input_ && open_count_ == 0) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    while (is_closed() && !input_) next_place();
    is_place_asked_ = !is_closed() && !is_opening_;
    return (is_place_asked_ ? places_[at_] : input_)->pull(std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    return is_place_asked_ ? take_element(std::move(answer)) : take_dataset(std::move(answer));
  }

  std::optional<Pulled> take_dataset(Pulled answer) {
    if (!answer.ok()) return take_error(answer.status());
    if (!answer->has_value()) {
      input_ = nullptr;
      end_opening();
      if (open_count_ == 0) return answer;
      return {};
    }
    auto place = cycle_.is_flat || cycle_.is_parallel ? dataset_count_++ : at_;
    auto source = iterate_component(**answer, iteration_->of_input(place));
    if (!source) return take_error(source.status());
    open(
        cycle_.is_parallel ? read_ahead(iteration_, *std::move(source), cycle_)
                           : *std::move(source));
    return {};
  }

  std::optional<Pulled> take_error(Status error) {
    if (!cycle_.is_parallel) return Pulled(std::move(error));
    open(std::make_shared<Failed>(std::move(error)));
    return {};
  }

  void open(data::SharedSource source) {
    if (at_ == places_.size()) places_.emplace_back();
    places_[at_] = std::move(source);
    ++open_count_;
    if (is_opening_ && ++at_ == static_cast<size_t>(cycle_.length)) end_opening();
  }

  std::optional<Pulled> take_element(Pulled answer) {
    if (!answer.ok() && !cycle_.is_parallel) return answer;
    if (!answer.ok() || answer->has_value()) {
      if (++in_block_ == cycle_.block_length) next_place();
      return answer;
    }
    places_[at_] = nullptr;
    --open_count_;
    next_place();
    if (!input_ && open_count_ == 0) return answer;
    return {};
  }

  bool is_closed() const { return at_ >= places_.size() || !places_[at_]; }
  void next_place() {
    in_block_ = 0;
    at_ = (at_ + 1) % static_cast<size_t>(cycle_.length);
  }
  void end_opening() {
    if (std::exchange(is_opening_, false)) at_ = 0;
  }

  SharedIteration iteration_;
  data::SharedSource input_;  // null at its end
  Cycle cycle_;
  std::vector<data::SharedSource> places_;  // as many as were needed so far; null where closed
  size_t at_ = 0;
  size_t dataset_count_ = 0;
  int64_t in_block_ = 0;  // elements that the place has given in this turn
  size_t open_count_ = 0;
  bool is_opening_;
  bool is_place_asked_ = false;  // and not the input
};

/// As Interleaved, in parallel, of which each gives its element as soon as it is there.
data::SharedSource merged(
    const SharedIteration& iteration, data::SharedSource datasets, const Cycle& cycle) {
  // It may take long to make a dataset, which must not keep those that are there.
  auto input = std::make_shared<data::BufferedSource>(iteration, std::move(datasets), 1);
  auto open = [iteration, cycle,
               count = size_t{0}](const Element& element) mutable -> Result<data::SharedSource> {
    auto source = iterate_component(element, iteration->of_input(count++));
    if (!source) return source;
    return read_ahead(iteration, *std::move(source), cycle);
  };
  return std::make_shared<data::MergedSource>(
      std::move(input), open,
      data::MergedSource::Turns{.open_max = cycle.length, .length = cycle.block_length});
}

Iterate interleaved(
    const SharedDataset& input, const CapturedFunction& function, const Cycle& cycle) {
  return [=](const SharedIteration& iteration) -> Result<data::SharedSource> {
    auto source = input->iterate(iteration);
    if (!source) return source;
    auto datasets = map_source(iteration, *std::move(source), function);
    if (cycle.is_parallel && !(cycle.keeps_order && iteration->keeps_order()))
      return merged(iteration, std::move(datasets), cycle);
    return data::SharedSource(std::make_shared<Interleaved>(iteration, std::move(datasets), cycle));
  };
}

/// Elements of several datasets: each next one is of that which the selector's next number says, or
/// is left out where that one has ended. Ends with the selector or with the last of them.
class Directed final : public data::SteppedSource {
 public:
  Directed(
      const SharedIteration&, data::SharedSource selector, std::vector<data::SharedSource> inputs)
      : selector_(std::move(selector)), inputs_(std::move(inputs)), open_count_(inputs_.size()) {}

 private:
  std::optional<Pulled> begin() override {
    if (!selector_ || open_count_ == 0) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    return (chosen_ ? *chosen_ : selector_)->pull(std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    if (!chosen_) return take_choice(std::move(answer));
    auto* chosen = std::exchange(chosen_, nullptr);
    if (!answer.ok() || answer->has_value()) return answer;
    *chosen = nullptr;
    if (--open_count_ == 0) return answer;
    return {};
  }

  std::optional<Pulled> take_choice(Pulled answer) {
    if (!answer.ok()) return answer;
    if (!answer->has_value()) {
      selector_ = nullptr;
      return answer;
    }
    const auto& number = (**answer)[0];
    if (!number.shape().is_scalar())
      return Pulled(invalid_argument("the elements of the selector must be scalars"));
    auto index = number.value<int64_t>(), count = static_cast<int64_t>(inputs_.size());
    if (index < 0 || index >= count)
      return Pulled(invalid_argument(
          "Selector index out of range: " + std::to_string(index) + " is not in [0, " +
          std::to_string(count) + ")"));
    auto& input = inputs_[static_cast<size_t>(index)];
    if (input) chosen_ = &input;
    return {};
  }

  data::SharedSource selector_;             // null at its end
  std::vector<data::SharedSource> inputs_;  // null at their ends
  size_t open_count_;
  data::SharedSource* chosen_ = nullptr;  // which is asked; null: the selector is
};

Result<data::SharedSource> start_directed(
    const SharedDataset& selector, const std::vector<SharedDataset>& inputs,
    const SharedIteration& iteration) {
  auto numbers = selector->iterate(iteration);
  if (!numbers) return numbers;
  std::vector<data::SharedSource> sources;
  for (const auto& input : inputs) {
    auto source = input->iterate(iteration->of_input(sources.size()));
    if (!source) return source;
    sources.push_back(*std::move(source));
  }
  return data::SharedSource(
      std::make_shared<Directed>(iteration, *std::move(numbers), std::move(sources)));
}

Result<Kernel> make_directed_interleave(const Node& node) {
  auto compute = [attrs = ElementAttrs(node)](Launch& launch) -> Status {
    auto selector = dataset_input(launch, 0);
    if (!selector) return selector.status();
    auto status = data::check_components(
        (*selector)->dtypes(), (*selector)->shapes(), {DType::int64}, {Shape()});
    if (!status.ok()) return status;
    std::vector<SharedDataset> inputs;
    for (int i = 1; i < launch.input_count(); ++i) {
      auto input = dataset_input(launch, i);
      if (!input) return input.status();
      if (status = attrs.check((*input)->dtypes()); !status.ok()) return status;
      inputs.push_back(*std::move(input));
    }
    auto iterate = [selector = *selector, inputs](const SharedIteration& iteration) {
      return start_directed(selector, inputs, iteration);
    };
    return set_dataset(launch, make_dataset(attrs, std::move(iterate)));
  };
  return Kernel{.compute = std::move(compute)};
}

/// `cycle_of(launch)` reads the inputs that say how datasets take turns.
template <class CycleOf>
Result<Kernel> make_interleaved(
    const Node& node, const Graph& graph, Device& device, CycleOf cycle_of) {
  return function_kernel(
      node, graph, device, "f",
      [=](Launch& launch, const CapturedFunction& function) -> Result<Iterate> {
        auto input = dataset_input(launch, 0);
        if (!input) return input.status();
        auto status = function.check((*input)->dtypes(), {DType::variant});
        if (!status.ok()) return status;
        Result<Cycle> cycle = cycle_of(launch);
        if (!cycle) return cycle.status();
        return interleaved(*input, function, *cycle);
      });
}

Result<Kernel> make_flat_map(const Node& node, const Graph& graph, Device& device) {
  return make_interleaved(node, graph, device, [](const Launch&) -> Result<Cycle> {
    return Cycle{.length = 1, .block_length = 1, .is_flat = true};
  });
}

/// Inputs `at` and the one behind it.
Result<Cycle> cycle_input(const Launch& launch, int at) {
  auto length = number_input(launch, at, "cycle_length");
  if (!length) return length.status();
  auto block_length = number_input(launch, at + 1, "block_length");
  if (!block_length) return block_length.status();
  if (*length <= 0) return invalid_argument("cycle_length must be greater than zero.");
  if (*block_length <= 0) return invalid_argument("block_length must be greater than zero.");
  return Cycle{.length = *length, .block_length = *block_length};
}

Result<Kernel> make_interleave(const Node& node, const Graph& graph, Device& device) {
  return make_interleaved(node, graph, device, [](const Launch& launch) {
    return cycle_input(launch, launch.input_count() - 2);
  });
}

Result<Kernel> make_parallel_interleave(const Node& node, const Graph& graph, Device& device) {
  auto keeps_order = !node.attr<bool>("sloppy");
  return make_interleaved(node, graph, device, [=](const Launch& launch) -> Result<Cycle> {
    auto cycle = cycle_input(launch, launch.input_count() - 3);
    if (!cycle) return cycle;
    auto calls = number_input(launch, launch.input_count() - 1, "num_parallel_calls");
    if (!calls) return calls.status();
    if (*calls != -1 && *calls <= 0)
      return invalid_argument("num_parallel_calls must be greater than zero.");
    if (*calls > cycle->length)
      return invalid_argument("num_parallel_calls must less than or equal to cycle_length.");
    cycle->is_parallel = true;
    cycle->keeps_order = keeps_order;
    return cycle;
  });
}

/// The inputs at the end: cycle_length, block_length, sloppy, buffer_output_elements,
/// prefetch_input_elements.
Result<Kernel> make_older_interleave(const Node& node, const Graph& graph, Device& device) {
  return make_interleaved(node, graph, device, [](const Launch& launch) -> Result<Cycle> {
    auto first = launch.input_count() - 5;
    auto cycle = cycle_input(launch, first);
    if (!cycle) return cycle;
    auto sloppy = flag_input(launch, first + 2, "sloppy");
    if (!sloppy) return sloppy.status();
    auto ahead = number_input(launch, first + 3, "buffer_output_elements");
    if (!ahead) return ahead.status();
    auto inputs_ahead = number_input(launch, first + 4, "prefetch_input_elements");
    if (!inputs_ahead) return inputs_ahead.status();
    if (*ahead <= 0) return invalid_argument("`buffer_output_elements` must be > 0");
    if (*inputs_ahead < 0) return invalid_argument("`prefetch_input_elements` must be >= 0");
    cycle->is_parallel = true;
    cycle->keeps_order = !*sloppy;
    cycle->ahead = *ahead;
    return cycle;
  });
}

}  // namespace

void add_dataset_interleaving_kernels(KernelCatalog& catalog) {
  catalog.add_linked("FlatMapDataset", make_flat_map);
  catalog.add_linked("InterleaveDataset", make_interleave);
  catalog.add_linked("ParallelInterleaveDatasetV2", make_parallel_interleave);
  for (const auto* op : {"ParallelInterleaveDataset", "ExperimentalParallelInterleaveDataset"})
    catalog.add_linked(op, make_older_interleave);
  for (const auto* op : {"DirectedInterleaveDataset", "ExperimentalDirectedInterleaveDataset"})
    catalog.add(op, make_directed_interleave);
  add_dataset_grouping_kernels(catalog);
}

}  // namespace troupe::cpu
