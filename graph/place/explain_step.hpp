#pragma once

#include "troupe/graph/place/step_cost_graph.hpp"
#include "troupe/graph/step_explanation.hpp"

namespace troupe {

/// Explains a placed step: why each node is where it is, what crosses between devices, and what
/// that costs. `devices` are those that the placement gave with these candidates.
StepExplanation explain_step(
    const Placement& placement, const Graph& graph, const PrunedStep& step,
    const std::vector<Candidate>& candidates, const std::map<NodeId, DeviceName>& devices,
    const StepCosts& costs);

}  // namespace troupe
