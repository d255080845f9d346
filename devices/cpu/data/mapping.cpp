#include "troupe/devices/cpu/data/mapping.hpp"

#include <algorithm>
#include <string>
#include <thread>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/batching.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/data/buffered_source.hpp"
#include "troupe/devices/data/stepped_source.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;

/// A source that calls a function for each element of another one, and ends with that one, with the
/// function, or by itself.
class Called : public data::SteppedSource {
 public:
  Called(SharedIteration iteration, data::SharedSource input, CapturedFunction function)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        function_(std::move(function)) {}

 protected:
  /// What the function is given for an element.
  virtual Element arguments_of(Element element) { return element; }
  /// Takes the function's results: what comes of them, or nothing to go on with the next element.
  virtual std::optional<Pulled> take_results(Element results) {
    return Pulled(std::optional<Element>(std::move(results)));
  }
  Pulled end() {
    input_ = nullptr;
    return data::end_of_sequence();
  }

 private:
  std::optional<Pulled> begin() final {
    if (!input_) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) final {
    if (!arguments_) return input_->pull(std::move(done));
    return function_.call(*std::exchange(arguments_, {}), *iteration_, std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) final {
    auto is_called = std::exchange(is_called_, false);
    if (!answer.ok()) return answer;
    if (!answer->has_value()) return end();
    if (is_called) return take_results(**std::move(answer));
    arguments_ = arguments_of(**std::move(answer));
    is_called_ = true;
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;  // null at the end
  CapturedFunction function_;
  std::optional<Element> arguments_;  // of the call to begin
  bool is_called_ = false;            // the next answer is the function's
};

/// What the function makes of each element.
class Mapped final : public Called {
 public:
  using Called::Called;
};

/// What becomes of the elements behind one of which a predicate is false.
enum class Rest : uint8_t { is_asked, is_left };

/// The elements of which the predicate is true; all, or those before the first of which it is not.
class Chosen final : public Called {
 public:
  Chosen(SharedIteration iteration, data::SharedSource input, CapturedFunction predicate, Rest rest)
      : Called(std::move(iteration), std::move(input), std::move(predicate)), rest_(rest) {}

 private:
  Element arguments_of(Element element) override { return element_ = std::move(element); }

  std::optional<Pulled> take_results(Element results) override {
    auto element = std::exchange(element_, {});
    if (!results[0].shape().is_scalar())
      return Pulled(invalid_argument("Filter predicate `f` must return a scalar bool."));
    if (results[0].value<bool>()) return Pulled(std::optional<Element>(std::move(element)));
    if (rest_ == Rest::is_left) return end();
    return {};
  }

  Rest rest_;
  Element element_;  // which the predicate is asked about
};

/// Calls a function with a state and each element: it makes the next state and, behind it, an
/// element. Where it fails, the state stays.
class Scanned final : public Called {
 public:
  Scanned(
      SharedIteration iteration, data::SharedSource input, CapturedFunction function, Element state)
      : Called(std::move(iteration), std::move(input), std::move(function)),
        state_(std::move(state)) {}

 private:
  Element arguments_of(Element element) override {
    element.insert(element.begin(), state_.begin(), state_.end());
    return element;
  }

  std::optional<Pulled> take_results(Element results) override {
    auto behind_state = results.begin() + std::ssize(state_);
    std::move(results.begin(), behind_state, state_.begin());
    results.erase(results.begin(), behind_state);
    return Pulled(std::optional<Element>(std::move(results)));
  }

  Element state_;
};

/// The function of a node as its attribute says: whether OutOfRange is an error, or the end.
CapturedFunction of_node(const CapturedFunction& function, bool preserves_cardinality) {
  return preserves_cardinality ? function : function.ending();
}

Result<Iterate> map(
    const SharedDataset& input, const CapturedFunction& function, const ElementAttrs& attrs) {
  if (auto status = function.check(input->dtypes(), attrs.dtypes); !status.ok()) return status;
  return over<Mapped>(input, function);
}

Result<Kernel> make_map(const Node& node, const Graph& graph, Device& device) {
  return function_kernel(
      node, graph, device, "f",
      [attrs = ElementAttrs(node), preserves = node.attr<bool>("preserve_cardinality")](
          Launch& launch, const CapturedFunction& function) -> Result<Iterate> {
        auto input = dataset_input(launch, 0);
        if (!input) return input.status();
        return map(*input, of_node(function, preserves), attrs);
      });
}

Iterate parallel_map(
    const SharedDataset& input, const CapturedFunction& function, size_t parallel_calls,
    bool keeps_order) {
  return [=](const SharedIteration& iteration) -> Result<data::SharedSource> {
    auto source = input->iterate(iteration);
    if (!source) return source;
    auto call = [=](Element element, data::ElementSource::Done done) {
      return function.call(std::move(element), *iteration, std::move(done));
    };
    return data::SharedSource(std::make_shared<data::BufferedSource>(
        iteration, *std::move(source), parallel_calls, call, keeps_order));
  };
}

/// The number of calls beside each other that input `index` asks for.
Result<size_t> parallel_calls_input(const Launch& launch, int index) {
  auto calls = number_input(launch, index, "num_parallel_calls");
  if (!calls) return calls.status();
  if (*calls != -1 && *calls <= 0)
    return invalid_argument("num_parallel_calls must be greater than zero.");
  if (*calls > 0) return static_cast<size_t>(*calls);
  return std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

Result<Kernel> make_parallel_map(const Node& node, const Graph& graph, Device& device) {
  return function_kernel(
      node, graph, device, "f",
      [attrs = ElementAttrs(node), preserves = node.attr<bool>("preserve_cardinality"),
       keeps_order = !node.attr<bool>("sloppy")](
          Launch& launch, const CapturedFunction& function) -> Result<Iterate> {
        auto input = dataset_input(launch, 0);
        if (!input) return input.status();
        auto calls = parallel_calls_input(launch, launch.input_count() - 1);
        if (!calls) return calls.status();
        if (auto status = function.check((*input)->dtypes(), attrs.dtypes); !status.ok())
          return status;
        return parallel_map(*input, of_node(function, preserves), *calls, keeps_order);
      });
}

/// Inputs behind the captured ones: batch_size, num_parallel_calls, drop_remainder.
Result<Kernel> make_map_and_batch(const Node& node, const Graph& graph, Device& device) {
  return function_kernel(
      node, graph, device, "f",
      [attrs = ElementAttrs(node), preserves = node.attr<bool>("preserve_cardinality")](
          Launch& launch, const CapturedFunction& function) -> Result<Iterate> {
        auto input = dataset_input(launch, 0);
        if (!input) return input.status();
        auto last = launch.input_count() - 1;
        auto size = batch_size_inputs(launch, last - 2, last);
        if (!size) return size.status();
        auto calls = parallel_calls_input(launch, last - 1);
        if (!calls) return calls.status();
        if (auto status = function.check((*input)->dtypes(), attrs.dtypes); !status.ok())
          return status;
        auto mapped = parallel_map(*input, of_node(function, preserves), *calls, true);
        return Iterate([=, size = *size](const SharedIteration& iteration) {
          auto source = mapped(iteration);
          if (source) source = batches_of_calls(iteration, *std::move(source), size);
          return source;
        });
      });
}

/// The kernel of an op whose predicate chooses elements.
KernelCatalog::MakeLinked make_choice(Rest rest) {
  return [rest](const Node& node, const Graph& graph, Device& device) {
    return function_kernel(
        node, graph, device, "predicate",
        [rest, attrs = ElementAttrs(node)](
            Launch& launch, const CapturedFunction& predicate) -> Result<Iterate> {
          auto input = dataset_input(launch, 0);
          if (!input) return input.status();
          if (auto status = attrs.check((*input)->dtypes()); !status.ok()) return status;
          auto status = predicate.check((*input)->dtypes(), {DType::boolean});
          if (!status.ok()) return status;
          return over<Chosen>(*input, predicate, rest);
        });
  };
}

Result<Kernel> make_scan(const Node& node, const Graph& graph, Device& device) {
  auto function = data::DatasetFunction::compile(node.attr<FunctionRef>("f"), node, graph, device);
  if (!function) return function.status();
  auto compute = [attrs = ElementAttrs(node), function = *std::move(function),
                  state_dtypes = node.attr<DTypes>("Tstate"),
                  captured_count = node.attr<DTypes>("Targuments").size(),
                  preserves = node.attr<bool>("preserve_cardinality")](Launch& launch) {
    auto input = dataset_input(launch, 0);
    if (!input) return input.status();
    auto state = captured_inputs(launch, 1, state_dtypes.size());
    CapturedFunction given(
        function,
        captured_inputs(launch, 1 + static_cast<int>(state_dtypes.size()), captured_count));
    auto captured = of_node(given, preserves);
    auto arguments = state_dtypes, results = state_dtypes;
    arguments.insert(arguments.end(), (*input)->dtypes().begin(), (*input)->dtypes().end());
    results.insert(results.end(), attrs.dtypes.begin(), attrs.dtypes.end());
    if (auto status = captured.check(arguments, results); !status.ok()) return status;
    return set_dataset(launch, make_dataset(attrs, over<Scanned>(*input, captured, state)));
  };
  return Kernel{.compute = std::move(compute)};
}

}  // namespace

data::SharedSource map_source(
    const SharedIteration& iteration, data::SharedSource input, const CapturedFunction& function) {
  return std::make_shared<Mapped>(iteration, std::move(input), function);
}

void add_dataset_mapping_kernels(KernelCatalog& catalog) {
  catalog.add_linked("MapDataset", make_map);
  catalog.add_linked("ExperimentalMapDataset", make_map);
  catalog.add_linked("ParallelMapDataset", make_parallel_map);
  catalog.add_linked("FilterDataset", make_choice(Rest::is_asked));
  for (const std::string prefix : {"", "Experimental"}) {
    catalog.add_linked(prefix + "TakeWhileDataset", make_choice(Rest::is_left));
    catalog.add_linked(prefix + "ScanDataset", make_scan);
    catalog.add_linked(prefix + "MapAndBatchDataset", make_map_and_batch);
  }
}

}  // namespace troupe::cpu
