#include <algorithm>
#include <bit>

#include "troupe/graph/optimize/passes.hpp"
#include "troupe/graph/passes/later_reads.hpp"

namespace troupe {
namespace {

template <class T, class Bits>
bool all_have_bits(const Tensor& tensor, T value) {
  return std::ranges::all_of(tensor.values<T>(), [&](T element) {
    return std::bit_cast<Bits>(element) == std::bit_cast<Bits>(value);
  });
}

/// Whether all elements are that number, and zeros of that sign. False for other dtypes: a product
/// changes the bits of a half's NaN, and the sign of a complex zero.
bool is_filled_with(const Tensor& tensor, int number, bool is_negative_zero) {
  auto sign = is_negative_zero ? -1.0 : 1.0;
  switch (tensor.dtype()) {
    case DType::float32:
      return all_have_bits<float, uint32_t>(tensor, static_cast<float>(sign * number));
    case DType::float64: return all_have_bits<double, uint64_t>(tensor, sign * number);
    case DType::int32: return all_have_bits<int32_t, uint32_t>(tensor, number);
    case DType::int64: return all_have_bits<int64_t, uint64_t>(tensor, number);
    default: return false;
  }
}

std::optional<std::vector<int64_t>> permutation_of(const StepGraph& step, const StepNode& node) {
  const auto* tensor = step.constant(node.inputs[1]);
  if (!tensor || !step.source_of(node.inputs[1])->control_inputs.empty()) return std::nullopt;
  return to_ints(*tensor);
}

bool is_one_of(const std::string& op, std::initializer_list<const char*> ops) {
  return std::ranges::any_of(ops, [&](const char* other) { return op == other; });
}

class ArithmeticSimplifier {
 public:
  explicit ArithmeticSimplifier(StepGraph& step) : step_(step) {
    step.for_each_node([&](StepNode& node) {
      for (auto input : node.control_inputs)
        if (auto* before = step.find(input)) waited_for_.push_back(before->node->id);
    });
    std::ranges::sort(waited_for_);
  }

  void visit(StepNode& node) {
    auto is_single = node.node->output_dtypes.size() == 1;
    if (!is_single || node.inputs.empty() || node.is_constant() || !step_.is_pure(node)) return;
    if (!node.control_inputs.empty() || (node.is_root && !node.is_fetched)) return;
    auto same = same_as(node);
    if (same && can_replace(node, *same)) step_.replace(node, {*same});
  }

 private:
  /// OP-2. A Switch itself is never dead, so that a control edge from it would not say what one
  /// from a node on its output says; so what waits for a node keeps it.
  bool can_replace(const StepNode& node, Output same) const {
    if (step_.dtype_of(same) != node.node->output_dtypes[0]) return false;
    if (is_reference(same)) return false;
    if (!shares_memory_of_input(*node.node) && shares_memory_of_variable(same)) return false;
    auto is_waited_for = std::ranges::binary_search(waited_for_, node.node->id);
    const auto* source = step_.source_of(same);
    if (!source) return !node.is_fetched && !is_waited_for;
    if (source->device_number != node.device_number) return false;
    return !is_waited_for || !is_control_flow(*source);
  }

  bool is_reference(Output output) const {
    return step_.graph().is_reference(output) && !step_.is_fed(output);
  }

  /// Whether the value changes when the variable does (later_reads.hpp), which that of an operation
  /// on it does not.
  bool shares_memory_of_variable(Output output) const {
    const auto* source = step_.source_of(output);
    while (source && !source->inputs.empty() && !is_reference(output) &&
           shares_memory_of_input(*source->node)) {
      output = source->inputs[0];
      source = step_.source_of(output);
    }
    return is_reference(output);
  }

  /// The value that the node gives, if it is one of those before it.
  std::optional<Output> same_as(const StepNode& node) const {
    const auto& op = node.node->op->name();
    auto x = node.inputs[0];
    if (is_one_of(op, {"Identity", "StopGradient"})) return x;
    if (op == "Cast" && step_.dtype_of(x) == node.node->output_dtypes[0]) return x;
    if (is_one_of(op, {"Neg", "Invert", "LogicalNot", "Conj"})) return undone(node);
    if (op == "Transpose") return transposed_back(node);
    if (op == "Reshape") return reshaped_to_itself(node);
    return with_neutral_operand(node);
  }

  /// The input of an input that the same op made, and that nothing else orders.
  std::optional<Output> undone(const StepNode& node) const {
    const auto* inner = step_.source_of(node.inputs[0]);
    if (!inner || inner->node->op != node.node->op || !inner->values.empty()) return std::nullopt;
    if (!inner->control_inputs.empty() || inner->has_fed_output) return std::nullopt;
    return inner->inputs[0];
  }

  std::optional<Output> transposed_back(const StepNode& node) const {
    auto outer = permutation_of(step_, node);
    if (!outer) return std::nullopt;
    auto is_identity = [](const std::vector<int64_t>& axes) {
      for (size_t i = 0; i < axes.size(); ++i)
        if (axes[i] != static_cast<int64_t>(i)) return false;
      return true;
    };
    auto rank = static_cast<int>(outer->size());
    auto has_rank = [&](Output x) {
      return step_.shape_of(x).has_rank() && step_.shape_of(x).rank() == rank;
    };
    if (is_identity(*outer) && has_rank(node.inputs[0])) return node.inputs[0];
    auto twice = undone(node);
    if (!twice || !has_rank(*twice)) return std::nullopt;
    auto inner = permutation_of(step_, *step_.source_of(node.inputs[0]));
    if (!inner || inner->size() != outer->size()) return std::nullopt;
    std::vector<int64_t> both;
    for (auto axis : *outer) {
      if (axis < 0 || axis >= rank) return std::nullopt;
      both.push_back((*inner)[static_cast<size_t>(axis)]);
    }
    return is_identity(both) ? twice : std::nullopt;
  }

  /// Also of several Reshapes, one after the other.
  std::optional<Output> reshaped_to_itself(const StepNode& node) const {
    auto is_plain_constant = [&](Output sizes) {
      return step_.constant(sizes) && step_.source_of(sizes)->control_inputs.empty();
    };
    const auto& shape = node.node->output_shapes[0];
    if (!shape.is_known() || !is_plain_constant(node.inputs[1])) return std::nullopt;
    auto x = node.inputs[0];
    if (step_.shape_of(x) == shape) return x;
    const auto* inner = step_.source_of(x);
    if (!inner || inner->node->op != node.node->op || !inner->values.empty()) return std::nullopt;
    if (inner->has_fed_output || !inner->control_inputs.empty()) return std::nullopt;
    if (!inner->node->output_shapes[0].is_known() || !is_plain_constant(inner->inputs[1]))
      return std::nullopt;
    auto twice = inner->inputs[0];
    return step_.shape_of(twice) == shape ? std::optional(twice) : std::nullopt;
  }

  std::optional<Output> with_neutral_operand(const StepNode& node) const {
    const auto& op = node.node->op->name();
    auto is_product = op == "Mul";
    auto is_sum = is_one_of(op, {"Add", "AddV2"});
    auto is_quotient = is_one_of(op, {"Div", "RealDiv"});
    if (!is_product && !is_sum && !is_quotient && op != "Sub") return std::nullopt;
    auto number = is_product || is_quotient ? 1 : 0;
    auto is_neutral = [&](Output operand, Output x) {
      const auto* value = step_.constant(operand);
      if (!value || !step_.source_of(operand)->control_inputs.empty()) return false;
      if (value->elements() == 0 || !is_filled_with(*value, number, is_sum)) return false;
      const auto& shape = step_.shape_of(x);
      return value->shape().is_scalar() ||
             (shape.is_known() && node.node->output_shapes[0] == shape);
    };
    if (is_neutral(node.inputs[1], node.inputs[0])) return node.inputs[0];
    auto commutes = is_product || is_sum;
    if (commutes && is_neutral(node.inputs[0], node.inputs[1])) return node.inputs[1];
    return std::nullopt;
  }

  StepGraph& step_;
  std::vector<NodeId> waited_for_;  // by control edges; sorted
};

}  // namespace

void simplify_arithmetic(StepGraph& step) {
  ArithmeticSimplifier simplifier(step);
  step.for_each_node([&](StepNode& node) { simplifier.visit(node); });
}

}  // namespace troupe
