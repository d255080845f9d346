#include <algorithm>
#include <string>
#include <thread>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/data/captured_function.hpp"
#include "troupe/devices/cpu/data/dataset_kernel.hpp"
#include "troupe/devices/data/buffered_source.hpp"
#include "troupe/devices/data/stepped_source.hpp"

namespace troupe::cpu {
namespace {

using data::Element;
using data::Pulled;
using data::SharedDataset;

class Mapped final : public data::SteppedSource {
 public:
  Mapped(SharedIteration iteration, data::SharedSource input, CapturedFunction function)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        function_(std::move(function)) {}

 private:
  std::optional<Pulled> begin() override {
    if (!input_) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    if (!argument_) return input_->pull(std::move(done));
    return function_.call(*std::exchange(argument_, {}), *iteration_, std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    auto is_argument = !std::exchange(is_called_, false) && answer.ok() && answer->has_value();
    if (answer.ok() && !answer->has_value()) input_ = nullptr;
    if (!is_argument) return answer;
    argument_ = **std::move(answer);
    is_called_ = true;
    return {};
  }

  SharedIteration iteration_;
  data::SharedSource input_;  // null at the end
  CapturedFunction function_;
  std::optional<Element> argument_;  // of the call to begin
  bool is_called_ = false;           // the next answer is the function's
};

/// What becomes of the elements behind one of which a predicate is false.
enum class Rest : uint8_t { is_asked, is_left };

/// The elements of which the predicate is true; all, or those before the first of which it is not.
class Chosen final : public data::SteppedSource {
 public:
  Chosen(SharedIteration iteration, data::SharedSource input, CapturedFunction predicate, Rest rest)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        predicate_(std::move(predicate)),
        rest_(rest) {}

 private:
  std::optional<Pulled> begin() override {
    if (has_ended_) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    if (!element_) return input_->pull(std::move(done));
    return predicate_.call(*element_, *iteration_, std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    if (!element_) {
      if (!answer.ok() || !answer->has_value()) return answer;
      element_ = **std::move(answer);
      return {};
    }
    auto element = std::exchange(element_, std::nullopt);
    if (!answer.ok()) return answer;
    const auto& is_chosen = (**answer)[0];
    if (!is_chosen.shape().is_scalar())
      return Pulled(invalid_argument("Filter predicate `f` must return a scalar bool."));
    if (is_chosen.value<bool>()) return Pulled(std::move(element));
    has_ended_ = rest_ == Rest::is_left;
    return begin();
  }

  SharedIteration iteration_;
  data::SharedSource input_;
  CapturedFunction predicate_;
  Rest rest_;
  std::optional<Element> element_;  // which the predicate is asked about
  bool has_ended_ = false;
};

/// Calls a function with a state and each element: it makes the next state and, behind it, an
/// element. Where it fails, the state stays.
class Scanned final : public data::SteppedSource {
 public:
  Scanned(
      SharedIteration iteration, data::SharedSource input, CapturedFunction function, Element state)
      : iteration_(std::move(iteration)),
        input_(std::move(input)),
        function_(std::move(function)),
        state_(std::move(state)) {}

 private:
  std::optional<Pulled> begin() override {
    if (!input_) return data::end_of_sequence();
    return {};
  }

  std::optional<Pulled> ask(Done done) override {
    if (!arguments_) return input_->pull(std::move(done));
    return function_.call(*arguments_, *iteration_, std::move(done));
  }

  std::optional<Pulled> take(Pulled answer) override {
    auto is_result = std::exchange(arguments_, std::nullopt).has_value();
    if (answer.ok() && !answer->has_value()) input_ = nullptr;
    if (!answer.ok() || !answer->has_value()) return answer;
    auto values = **std::move(answer);
    auto state_size = static_cast<std::ptrdiff_t>(state_.size());
    if (!is_result) {
      values.insert(values.begin(), state_.begin(), state_.end());
      arguments_ = std::move(values);
      return {};
    }
    std::move(values.begin(), values.begin() + state_size, state_.begin());
    values.erase(values.begin(), values.begin() + state_size);
    return Pulled(std::optional<Element>(std::move(values)));
  }

  SharedIteration iteration_;
  data::SharedSource input_;  // null at the end
  CapturedFunction function_;
  Element state_;
  std::optional<Element> arguments_;  // of the call to begin or under way
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
    const SharedDataset& input, const CapturedFunction& function, size_t parallel_calls) {
  return [=](const SharedIteration& iteration) -> Result<data::SharedSource> {
    auto source = input->iterate(iteration);
    if (!source) return source;
    auto call = [=](Element element, data::ElementSource::Done done) {
      return function.call(std::move(element), *iteration, std::move(done));
    };
    return data::SharedSource(std::make_shared<data::BufferedSource>(
        iteration, *std::move(source), parallel_calls, call));
  };
}

Result<Kernel> make_parallel_map(const Node& node, const Graph& graph, Device& device) {
  return function_kernel(
      node, graph, device, "f",
      [attrs = ElementAttrs(node), preserves = node.attr<bool>("preserve_cardinality")](
          Launch& launch, const CapturedFunction& function) -> Result<Iterate> {
        auto input = dataset_input(launch, 0);
        if (!input) return input.status();
        auto calls = number_input(launch, launch.input_count() - 1, "num_parallel_calls");
        if (!calls) return calls.status();
        if (*calls != -1 && *calls <= 0)
          return invalid_argument("num_parallel_calls must be greater than zero.");
        if (auto status = function.check((*input)->dtypes(), attrs.dtypes); !status.ok())
          return status;
        auto parallel = *calls > 0 ? static_cast<size_t>(*calls)
                                   : std::max<size_t>(std::thread::hardware_concurrency(), 1);
        return parallel_map(*input, of_node(function, preserves), parallel);
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

void add_dataset_mapping_kernels(KernelCatalog& catalog) {
  catalog.add_linked("MapDataset", make_map);
  catalog.add_linked("ParallelMapDataset", make_parallel_map);
  catalog.add_linked("FilterDataset", make_choice(Rest::is_asked));
  for (const std::string prefix : {"", "Experimental"}) {
    catalog.add_linked(prefix + "TakeWhileDataset", make_choice(Rest::is_left));
    catalog.add_linked(prefix + "ScanDataset", make_scan);
  }
}

}  // namespace troupe::cpu
