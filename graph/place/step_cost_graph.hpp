#pragma once

#include <vector>

#include "troupe/graph/passes/prune.hpp"
#include "troupe/graph/place/placement.hpp"
#include "troupe/graph/place/step_costs.hpp"

namespace troupe {

/// A step as a CostGraph. Node 0 is the client, who has the feeds, and the last one the client, who
/// gets the fetches; both are on the master's device and take no time. Constants that partitions
/// copy to their users are in none of it. A loop counts as if it ran once: what was measured of its
/// nodes is of all iterations.
struct StepCostGraph {
  CostGraph graph;
  std::vector<NodeId> ids;          // of the nodes; -1 for the client
  std::vector<DeviceName> devices;  // by number
};

/// Each node that is not the client is in a group of its own that may be on all devices; for the
/// caller to change. The master's device is the first.
StepCostGraph make_cost_graph(
    const Graph& graph, const PrunedStep& step, const std::vector<Candidate>& candidates,
    const DeviceName& master, const StepCosts& costs);

/// True for a constant that partitions copy to the devices that use it.
bool is_copied_constant(const Node& node);

/// Chooses devices for the nodes that no constraint and no resource pins to a task, so that the
/// predicted step is short (list_scheduling.hpp), and pins them there. The nodes of a loop stay
/// together. Candidates are the devices that nodes may be placed on.
Status place_by_cost(
    Placement& placement, const Graph& graph, const PrunedStep& step,
    const std::vector<Candidate>& candidates, const StepCosts& costs);

}  // namespace troupe
