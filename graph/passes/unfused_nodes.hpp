#pragma once

#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// The nodes of the graph with those that fused ones stand for in their place. Their attributes for
/// tools, which begin with '_', are gone.
std::vector<NodeDef> unfused_nodes(const Graph& graph);

}  // namespace troupe
