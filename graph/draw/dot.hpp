#pragma once

#include <cstddef>
#include <string>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/run_metadata.hpp"
#include "troupe/graph/step_explanation.hpp"

namespace troupe {

struct DotOptions {
  /// Nodes in that many scopes, or more, are one box for each such scope: with 1, "layer/w" and
  /// "layer/b" are the box "layer/". 0: each node has a box.
  int scope_depth = 0;
  /// Further nodes are left out, and a note in the picture says so: Graphviz takes minutes for
  /// thousands of boxes.
  size_t boxes_max = 1000;
};

/// A graph as Graphviz draws it: a box a node, with its op; an arrow an edge, with its dtype and
/// shape; control edges are dashed, what has state is filled, and variables are cylinders. Nodes
/// with a device constraint are in a frame with its name.
std::string to_dot(const Graph& graph, const DotOptions& options = {});

/// A step as it ran: each device's partition in a frame, with arrows between frames for the tensors
/// that were sent. InvalidArgument where the step did not run with
/// RunOptions::output_partition_graphs, or has an op that this program does not know.
Result<std::string> to_dot(const RunMetadata& metadata, const DotOptions& options = {});

/// An explained step: each device in a frame, each node with its predicted and measured time, each
/// arrow between frames with the bytes that cross.
std::string to_dot(const StepExplanation& explanation, const DotOptions& options = {});

}  // namespace troupe
