#pragma once

#include "troupe/graph/place/cost_graph.hpp"

namespace troupe {

/// Devices for the groups of a graph, so that the step as simulate() predicts it is short.
///
/// Starts from the best of two: HEFT (H. Topcuoglu, S. Hariri, M.-Y. Wu: Performance-Effective and
/// Low-Complexity Task Scheduling for Heterogeneous Computing, IEEE TPDS 13(3), 2002), which takes
/// the nodes by descending upward rank and gives each the device on which it ends first, where a
/// group is as its first node; and all groups on one device, as far as they may be there. Then
/// moves what is on the critical path, by groups and as a whole, while the step gets shorter; the
/// number of simulations is bounded, the fewer the larger the graph is.
GroupDevices schedule_by_cost(const CostGraph& graph);

}  // namespace troupe
