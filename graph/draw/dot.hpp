#pragma once

#include <cstddef>
#include <string>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/run_metadata.hpp"

namespace troupe {

struct DotOptions {
  /// Nodes in that many scopes, or more, are one box for each such scope: with 1, "layer/w" and
  /// "layer/b" are the box "layer/". 0: each node has a box.
  int scope_depth = 0;
  /// What comes after so many boxes is left out, and a note in the picture says so. Graphviz takes
  /// minutes for thousands.
  size_t boxes_max = 1000;
};

/// A graph as Graphviz draws it: a box a node, with its op; an arrow an edge, with its dtype and
/// shape; control edges are dashed, what has state is filled, and variables are cylinders. Nodes
/// that wish for a device stand in a frame with its name.
std::string to_dot(const Graph& graph, const DotOptions& options = {});

/// A step as it ran: each device's part in a frame, with arrows from one to the other where tensors
/// crossed. InvalidArgument where the step did not run with RunOptions::output_partition_graphs, or
/// has a node that this program does not know.
Result<std::string> to_dot(const RunMetadata& metadata, const DotOptions& options = {});

}  // namespace troupe
