#include <algorithm>

#include "troupe/graph/optimize/passes.hpp"

namespace troupe {
namespace {

// So that the pass is linear: how many edges of one node it looks at.
constexpr size_t edges_looked_at_max = 32;

class ControlReducer {
 public:
  explicit ControlReducer(StepGraph& step) : step_(step) {}

  void visit(StepNode& node) {
    if (node.control_inputs.empty()) return;
    auto controls = node.control_inputs;
    pass_no_ops(node, controls);
    std::erase_if(controls, [&](NodeId id) { return is_always_there(id); });
    if (!is_control_flow(node) && !reads_reference(node)) {
      auto implied = implied_by_inputs(node, controls);
      std::erase_if(controls, [&](NodeId id) { return std::ranges::binary_search(implied, id); });
    }
    if (controls == node.control_inputs) return;
    step_.set_control_inputs(node, std::move(controls));
    node.is_everywhere |= node.control_inputs.empty() && !node.values.empty();
  }

 private:
  /// A NoOp of this device that waits for one node is that node.
  void pass_no_ops(const StepNode& node, std::vector<NodeId>& controls) const {
    for (auto& id : controls) {
      const auto& before = *step_.find(id);
      if (before.node->op->name() == "NoOp" && before.control_inputs.size() == 1 &&
          before.device_number == node.device_number)
        id = before.control_inputs[0];
    }
    std::ranges::sort(controls);
    controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  }

  /// The read of a variable by its reference waits for the control inputs of who reads it.
  bool reads_reference(const StepNode& node) const {
    return std::ranges::any_of(
        node.inputs, [&](Output input) { return step_.graph().is_reference(input); });
  }

  /// A constant that waits for nothing, or a NoOp that does.
  bool is_always_there(NodeId id) const {
    const auto& before = *step_.find(id);
    auto is_empty = before.is_constant() || before.node->op->name() == "NoOp";
    return is_empty && before.control_inputs.empty();
  }

  /// What a node waits for that one of its inputs is, or waits for itself. A Merge runs before all
  /// of its inputs are there; the others of control flow change frames, and begin what is dead. A
  /// handle is there before the step, whatever its node waits for.
  std::vector<NodeId> implied_by_inputs(
      const StepNode& node, const std::vector<NodeId>& controls) const {
    std::vector<NodeId> implied;
    if (controls.empty()) return implied;
    size_t looked_at = 0;
    auto add_inputs_of = [&](const StepNode& before) {
      for (auto input : before.inputs)
        if (!step_.is_fed(input) && looked_at++ < edges_looked_at_max)
          implied.push_back(input.node);
      for (auto input : before.control_inputs)
        if (looked_at++ < edges_looked_at_max) implied.push_back(input);
    };
    auto add_indirect = [&](NodeId id) {
      const auto* before = step_.find(id);
      if (before && !is_control_flow(*before) && !is_handle(*before)) add_inputs_of(*before);
    };
    for (auto input : node.inputs) {
      if (step_.is_fed(input) || looked_at++ >= edges_looked_at_max) continue;
      if (const auto* source = step_.find(input.node); source && is_handle(*source)) continue;
      implied.push_back(input.node);
      add_indirect(input.node);
    }
    for (auto input : controls)
      if (looked_at++ < edges_looked_at_max) add_indirect(input);
    std::ranges::sort(implied);
    return implied;
  }

  static bool is_handle(const StepNode& node) { return node.node->op->makes_resource_handle(); }

  StepGraph& step_;
};

}  // namespace

void reduce_controls(StepGraph& step) {
  ControlReducer reducer(step);
  step.for_each_node([&](StepNode& node) { reducer.visit(node); });
}

}  // namespace troupe
