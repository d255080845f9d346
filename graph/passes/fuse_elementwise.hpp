#pragma once

#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// Replaces element-wise nodes of a partition by nodes that compute them in one pass over memory
/// (`ops/fusion.hpp`), which their device must have a kernel for. Nodes are what a peer sent,
/// inputs before their users; where they are wrong, they stay as they are.
///
/// FU-1: the nodes that become one have one dtype, and only the output of the last is used outside:
///       no fetch, no send, no other op and no control edge needs an output, or the end, of
///       another.
/// FU-2: the fused node has the name of the last, and waits for all that any of them waits for. One
///       dead input makes it dead, as it would make the last node.
/// FU-3: only ops without state are fused, whose inputs are values and not references.
/// FU-4: results have the same bits, and errors name the same nodes, as without the pass. Shapes
///       are looked at when a step runs: what then does not fit into one pass is computed node by
///       node.
void fuse_elementwise(std::vector<NodeDef>& nodes);

/// The nodes that a fused one stands for.
std::vector<NodeDef> nodes_of_elementwise(const NodeDef& fused);

}  // namespace troupe
