#pragma once

#include <functional>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// The nodes that a device with memory of its own computes on the host, so that no step waits for
/// the device to say it: counters and conditions of loops, sizes, positions. They are of a few ops
/// on integers and flags, all their inputs are on the host, and something on the host needs what
/// they compute. In the order of the graph. (In TensorFlow, kernels of GPUs have all int32 tensors
/// on the host, large ones too.)
///
/// `reads_on_host`: whether that input of a node is read on the host. `is_on_host`: whether that
/// output is small and on the host if its node is none of these; so for constants.
std::vector<NodeId> find_host_values(
    const Graph& graph, const std::function<bool(NodeId node, int input)>& reads_on_host,
    const std::function<bool(Output output)>& is_on_host);

/// Whether such a node passes on what it is given, wherever that lies; all others need a kernel of
/// the host.
bool passes_host_values_on(const Node& node);

}  // namespace troupe
