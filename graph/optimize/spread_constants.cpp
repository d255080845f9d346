#include "troupe/graph/optimize/passes.hpp"

namespace troupe {

void spread_constants(StepGraph& step) {
  step.for_each_node([&](StepNode& node) {
    if (!node.is_constant() || !node.control_inputs.empty() || node.is_everywhere) return;
    if (node.node->device.empty() || !step.is_pure(node)) return;
    const auto& value = node.node->attr<Tensor>("value");
    if (!is_plain(value.dtype()) || value.bytes() > copied_bytes_max) return;
    node.is_everywhere = true;
    step.mark_changed();
  });
}

}  // namespace troupe
