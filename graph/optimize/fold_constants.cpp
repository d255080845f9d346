#include <algorithm>

#include "troupe/graph/optimize/passes.hpp"

namespace troupe {
namespace {

// Of one folded node: so that a chain of constants that wait for much is folded in linear time.
constexpr size_t folded_controls_max = 8;

/// Ops whose results are never larger than their inputs, whatever the values.
bool gives_no_more_than_it_gets(const std::string& op) {
  return op == "BroadcastGradientArgs" || op == "BroadcastArgs" || op == "InvertPermutation";
}

class ConstantFolder {
 public:
  ConstantFolder(StepGraph& step, const EvaluateNode& evaluate)
      : step_(step), evaluate_(evaluate) {}

  void visit(StepNode& node) {
    if (!can_be_folded(node)) return;
    auto controls = node.control_inputs;
    Tensors inputs;
    size_t bytes = 0;
    for (auto input : node.inputs) {
      const auto* value = step_.constant(input);
      if (!value) return;
      bytes += value->bytes();
      inputs.push_back(*value);
      const auto& waits_for = step_.source_of(input)->control_inputs;
      controls.insert(controls.end(), waits_for.begin(), waits_for.end());
    }
    if (bytes > folded_input_bytes_max) return;
    std::ranges::sort(controls);
    controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
    if (controls.size() > folded_controls_max) return;
    auto values = evaluate_(*node.node, std::move(inputs));
    if (values && are_results(node, *values))
      step_.set_values(node, *std::move(values), std::move(controls));
  }

 private:
  bool can_be_folded(const StepNode& node) const {
    if (node.inputs.empty() || node.is_constant() || !step_.is_pure(node)) return false;
    if (node.device->type != "CPU") return false;
    size_t bytes = 0;
    for (size_t i = 0; i < node.node->output_dtypes.size(); ++i) {
      if (is_opaque(node.node->output_dtypes[i])) return false;
      if (gives_no_more_than_it_gets(node.node->op->name())) continue;
      const auto& shape = node.node->output_shapes[i];
      if (!shape.is_known()) return false;
      auto elements = static_cast<size_t>(shape.elements());
      if (elements > folded_bytes_max) return false;
      bytes += elements * size_of(node.node->output_dtypes[i]);
    }
    return bytes <= folded_bytes_max;
  }

  /// Strings have any length, which only their values tell.
  static bool are_results(const StepNode& node, const Tensors& values) {
    size_t bytes = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].is_set() || values[i].dtype() != node.node->output_dtypes[i] ||
          !values[i].shape().is_compatible_with(node.node->output_shapes[i]))
        return false;
      bytes += values[i].bytes();
      if (values[i].dtype() == DType::string)
        for (const auto& text : values[i].values<std::string>()) bytes += text.size();
    }
    return values.size() == node.node->output_dtypes.size() && bytes <= folded_bytes_max;
  }

  StepGraph& step_;
  const EvaluateNode& evaluate_;
};

}  // namespace

void fold_constants(StepGraph& step, const EvaluateNode& evaluate) {
  if (!evaluate) return;
  ConstantFolder folder(step, evaluate);
  step.for_each_node([&](StepNode& node) { folder.visit(node); });
}

}  // namespace troupe
