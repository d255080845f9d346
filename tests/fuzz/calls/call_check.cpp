#include "troupe/tests/fuzz/calls/call_check.hpp"

#include <cstring>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/run_graph.hpp"
#include "troupe/tests/fuzz/calls/guarded_device.hpp"

namespace troupe::fuzz {
namespace {

constexpr uint64_t memory_limit_bytes = 64 << 20;

/// What is known of the inputs when the graph is built.
enum class Known { nothing, shapes, values };

/// A graph with one call. Its variables get their values in a step before that.
struct CallGraph {
  Builder b;
  Known known;
  Values inputs;
  std::vector<Feed> feeds;
  std::vector<Feed> initial_values;
  std::vector<Ref> initializers;
  std::vector<Ref> reads;
  Value node;
  std::vector<Ref> outputs;  // all but handles
  DTypes dtypes;             // of these
  Shapes shapes;             // of these, as inferred

  CallGraph(const Call& call, std::shared_ptr<const OpCatalog> catalog, Known known_values)
      : b(std::move(catalog)), known(known_values) {
    node = add(call, &inputs);
    if (!b.status().ok()) return;
    const auto& made = b.graph().node(node.output().node);
    for (size_t i = 0; i < made.output_dtypes.size(); ++i) {
      if (made.output_dtypes[i] == DType::resource) continue;
      outputs.push_back(node.output(static_cast<int>(i)));
      dtypes.push_back(made.output_dtypes[i]);
      shapes.push_back(made.output_shapes[i]);
    }
  }

 private:
  Value add(const Call& call, Values* added = nullptr) {
    Values values;
    // These take their keys from constants alone.
    auto is_known = known == Known::values || call.op.starts_with("MutableDenseHashTable");
    for (const auto& input : call.inputs) values.push_back(add(input, is_known));
    if (added) *added = values;
    return b.op(call.op, values, call.attrs);
  }

  Value add(const Call::Input& input, bool is_known) {
    if (!input.maker.empty()) return add_handle(input);
    // No variant can be fed.
    if (is_known || input.value.dtype() == DType::variant) return b.constant(input.value);
    auto shape = known == Known::shapes ? input.value.shape() : Shape::unknown_rank();
    auto value = b.placeholder(input.value.dtype(), shape);
    feeds.push_back({value, input.value});
    return value;
  }

  Value add_handle(const Call::Input& input) {
    const auto& maker = input.maker.front();
    auto handle = add(maker);
    if (!input.value.is_set() || !b.status().ok()) return handle;
    auto is_reference = maker.op == "VariableV2";
    auto initial = b.placeholder(input.value.dtype());
    initial_values.push_back({initial, input.value});
    initializers.push_back(b.op(is_reference ? "Assign" : "AssignVariableOp", {handle, initial}));
    if (is_reference) reads.push_back(handle);
    else reads.push_back(b.op("ReadVariableOp", {handle}, {{"dtype", input.value.dtype()}}));
    return handle;
  }
};

/// How a run went.
struct Answer {
  Status status = {};
  bool was_built = false;
  bool was_initialized = false;
  Tensors outputs = {};
  Tensors variables = {};
  std::string fault = {};  // of what was inferred
};

std::string fault_of_status(const Status& status) {
  if (status.ok()) return "";
  if (status.message().empty()) return "an error without words";
  switch (status.code()) {
    case Code::invalid_argument:
    case Code::not_found:
    case Code::already_exists:
    case Code::resource_exhausted:
    case Code::failed_precondition:
    case Code::aborted:
    case Code::out_of_range:
    case Code::unimplemented:
    case Code::data_loss: return "";
    default: return "a code that no input can have: " + status.to_string();
  }
}

std::string fault_of_output(const Tensor& output, DType dtype, const Shape& inferred) {
  if (!output.is_set()) return "is not set";
  if (output.dtype() != dtype)
    return std::string("is ") + to_string(output.dtype()) + " instead of " + to_string(dtype);
  if (!inferred.is_compatible_with(output.shape()))
    return "has the shape " + output.shape().to_string() + ", but inferred was " +
           inferred.to_string();
  return "";
}

class Checker {
 public:
  Checker(const Call& call, std::shared_ptr<const OpCatalog> catalog, Device& device)
      : call_(call), catalog_(std::move(catalog)), device_(device) {
    const auto& op = **catalog_->find(call.op);
    branches_ = op.family() == "control_flow";
    // What draws numbers, reads a clock, numbers what it names, or takes what is there first,
    // differs each time. SdcaOptimizer takes its examples in random order.
    is_determined_ = (!op.is_stateful() || (!op.inputs().empty() && has_handle(call))) &&
                     !branches_ && call.op != "ExtractGlimpse" &&
                     !call.op.starts_with("SdcaOptimizer") && call.op != "IteratorToStringHandle";
  }

  std::string check() {
    constexpr unsigned char fill = 0x5a, other_fill = 0xa5;
    auto fed = run(Known::nothing, fill);
    for (const auto& fault : {fed.fault, fault_of_status(fed.status), fault_of_change(fed)})
      if (!fault.empty()) return "with fed inputs: " + fault;
    if (fed.status.ok() && is_determined_)
      if (auto fault = difference(fed, run(Known::nothing, other_fill)); !fault.empty())
        return "two runs differ: " + fault;
    auto constant = run(Known::values, other_fill);
    for (const auto& fault : {constant.fault, fault_of_status(constant.status)})
      if (!fault.empty()) return "with constants: " + fault;
    if (auto fault = disagreement(fed, constant); !fault.empty()) return fault;
    if (!fed.status.ok()) return allocator_fault_;
    auto fault = fault_of_gradient();
    return fault.empty() ? allocator_fault_ : "gradient: " + fault;
  }

 private:
  static bool has_handle(const Call& call) {
    for (const auto& input : call.inputs)
      if (!input.maker.empty()) return true;
    return false;
  }

  /// Runs `steps` with a runner over memory of its own, which must be free again after it.
  template <class Steps>
  void with_runner(unsigned char fill, const Steps& steps) {
    GuardedAllocator allocator(memory_limit_bytes, fill);
    {
      testing::GraphRunner runner(std::make_unique<GuardedDevice>(device_, allocator));
      steps(runner);
    }
    device_.finish();
    if (allocator.was_overrun()) allocator_fault_ = "wrote behind a tensor";
    if (auto bytes = allocator.use().bytes_in_use)
      allocator_fault_ = "keeps " + std::to_string(bytes) + " bytes";
  }

  Answer run(Known known, unsigned char fill) {
    Answer answer;
    CallGraph graph(call_, catalog_, known);
    answer.status = graph.b.status();
    if (!answer.status.ok()) return answer;
    answer.was_built = true;
    with_runner(fill, [&](testing::GraphRunner& runner) {
      answer.status = runner.run(graph.b, graph.initial_values, {}, graph.initializers).status();
      if (!answer.status.ok()) return;
      answer.was_initialized = true;
      auto outputs = runner.run(graph.b, graph.feeds, graph.outputs, {graph.node});
      answer.status = outputs.status();
      if (outputs) answer.outputs = copied(*std::move(outputs));
      auto variables = runner.run(graph.b, {}, graph.reads);
      if (variables) answer.variables = copied(*std::move(variables));
    });
    for (size_t i = 0; i < answer.outputs.size() && answer.fault.empty(); ++i) {
      if (!answer.outputs[i].is_set() && branches_) continue;
      answer.fault = fault_of_output(answer.outputs[i], graph.dtypes[i], graph.shapes[i]);
      if (!answer.fault.empty()) answer.fault = "output " + std::to_string(i) + " " + answer.fault;
    }
    return answer;
  }

  /// In memory that is not the device's, which ends before.
  static Tensors copied(Tensors tensors) {
    for (auto& tensor : tensors) {
      if (!tensor.is_set()) continue;
      auto copy = *Tensor::allocate(tensor.dtype(), tensor.shape());
      if (tensor.dtype() == DType::string)
        std::ranges::copy(tensor.values<std::string>(), copy.mutable_data<std::string>());
      else std::memcpy(copy.mutable_raw(), tensor.raw(), tensor.bytes());
      tensor = copy;
    }
    return tensors;
  }

  /// Of the variables of a call that failed.
  std::string fault_of_change(const Answer& answer) const {
    if (answer.status.ok() || !answer.was_initialized) return "";
    size_t i = 0;
    for (const auto& input : call_.inputs) {
      if (input.maker.empty() || !input.value.is_set() || i >= answer.variables.size()) continue;
      const auto& variable = answer.variables[i++];
      if (AttrValue(variable) == AttrValue(input.value)) continue;
      return "failed, but changed a variable to " + variable.to_string() + ": " +
             answer.status.to_string();
    }
    return "";
  }

  static std::string difference(const Tensors& a, const Tensors& b) {
    if (a.size() != b.size()) return "";
    for (size_t i = 0; i < a.size(); ++i)
      if (AttrValue(a[i]) != AttrValue(b[i]))
        return std::to_string(i) + " is " + a[i].to_string(64) + ", then " + b[i].to_string(64);
    return "";
  }
  static std::string difference(const Answer& a, const Answer& b) {
    if (a.status.code() != b.status.code()) return "then " + b.status.to_string();
    if (auto found = difference(a.outputs, b.outputs); !found.empty()) return "output " + found;
    if (auto found = difference(a.variables, b.variables); !found.empty())
      return "variable " + found;
    return "";
  }

  std::string disagreement(const Answer& fed, const Answer& constant) const {
    if (fed.status.ok() && !constant.was_built)
      return "constants are refused, but the kernel computes: " + constant.status.to_string();
    if (!fed.status.ok() && constant.status.ok())
      return "only the kernel that knew nothing failed: " + fed.status.to_string();
    if (!fed.status.ok() || !is_determined_) return "";
    auto fault = difference(fed, constant);
    return fault.empty() ? "" : "constants are computed otherwise: " + fault;
  }

  /// Of the derivatives of all floating outputs with respect to all floating inputs.
  std::string fault_of_gradient() {
    CallGraph graph(call_, catalog_, Known::shapes);
    if (!graph.b.status().ok()) return "";
    auto is_differentiable = [](DType dtype) {
      return std::ranges::count(differentiable(), dtype) > 0;
    };
    Values ys, xs;
    Shapes shapes;
    for (size_t i = 0; i < graph.outputs.size(); ++i)
      if (is_differentiable(graph.dtypes[i])) ys.push_back(output_of(graph, i));
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
      const auto& [value, maker] = call_.inputs[i];
      if (!maker.empty() || !is_differentiable(value.dtype())) continue;
      xs.push_back(graph.inputs[i]);
      shapes.push_back(value.shape());
    }
    if (ys.empty() || xs.empty()) return "";
    auto derivatives = gradients(graph.b, ys, xs, {.allow_unconnected = true});
    if (!derivatives) return fault_of_status(derivatives.status());
    return fault_of_derivatives(graph, *derivatives, shapes);
  }

  static Value output_of(const CallGraph& graph, size_t index) {
    return graph.b.value(*graph.b.graph().find_output(graph.outputs[index].name));
  }

  std::string fault_of_derivatives(
      CallGraph& graph, const Values& derivatives, const Shapes& shapes) {
    std::vector<Ref> fetches;
    Shapes expected;
    for (size_t i = 0; i < derivatives.size(); ++i) {
      if (!derivatives[i].is_valid()) continue;
      fetches.push_back(derivatives[i]);
      expected.push_back(shapes[i]);
    }
    std::string fault;
    with_runner(0x5a, [&](testing::GraphRunner& runner) {
      if (!runner.run(graph.b, graph.initial_values, {}, graph.initializers)) return;
      auto got = runner.run(graph.b, graph.feeds, fetches);
      if (!got) {
        fault = fault_of_status(got.status());
        return;
      }
      for (size_t i = 0; i < got->size(); ++i)
        if (!(*got)[i].is_set() || (*got)[i].shape() != expected[i])
          fault = (*got)[i].to_string() + " for an input " + expected[i].to_string();
    });
    return fault;
  }

  const Call& call_;
  std::shared_ptr<const OpCatalog> catalog_;
  Device& device_;
  bool branches_ = false;
  bool is_determined_ = false;
  std::string allocator_fault_;
};

}  // namespace

std::string fault_of(const Call& call, std::shared_ptr<const OpCatalog> catalog, Device& device) {
  return Checker(call, std::move(catalog), device).check();
}

}  // namespace troupe::fuzz
