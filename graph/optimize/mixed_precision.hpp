#pragma once

#include <map>
#include <memory>

#include "troupe/graph/optimize/precision_lists.hpp"
#include "troupe/graph/optimize/step_graph.hpp"

namespace troupe {

/// Lets the nodes of a step that are on GPUs compute in float16 where that is fast and safe, by
/// TensorFlow's rules. Ops that the lists allow do. Those that they deny do not, nor what follows
/// from these through others; of the rest, what lies between allowed ones does, and what moves
/// numbers to or from them. Casts are put where the one kind meets the other, and constants become
/// two. What is fed or fetched, variables, and lists and arrays of tensors keep their dtypes.
///
/// Null where nothing changes, and where what it makes is no valid graph.
std::shared_ptr<const PlacedStep> mix_precision(
    const Graph& graph, const PrunedStep& step, const std::map<NodeId, DeviceName>& devices,
    const PrecisionLists& lists);

}  // namespace troupe
