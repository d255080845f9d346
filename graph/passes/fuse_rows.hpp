#pragma once

#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// Replaces reductions of a partition and the element-wise nodes around them, fused ones too
/// (`fuse_elementwise.hpp`), by nodes that a device can compute row by row (`ops/fusion.hpp`),
/// which it must have a kernel for: those of a normalization, which reads a row for its mean, for
/// its variance, and for its result, and need not read it from memory more than once. Nodes are as
/// fuse_elementwise() leaves them.
///
/// FU-1, FU-2 and FU-3 hold for these as well, and so does FU-4: axes that are no rows, or rows
/// that are better reduced otherwise, are found when a step runs, and the nodes are then computed
/// one by one as they were before.
///
/// FU-5: all reductions of a node are over the same axes, which are constants. All but the last
/// node
///       keep the axes that they reduce.
void fuse_rows(std::vector<NodeDef>& nodes);

/// The nodes that a node of rows stands for.
std::vector<NodeDef> nodes_of_rows(const NodeDef& rows);

}  // namespace troupe
