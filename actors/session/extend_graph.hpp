#pragma once

#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// Adds what a client sent to the graph of its session: all functions and nodes, or none and an
/// error. Ops, containers and nodes whose names begin with '_' are reserved; functions may have
/// such names, as those of clients' libraries do.
Status extend_graph(Graph& graph, std::vector<FunctionDef> functions, std::vector<NodeDef> nodes);

}  // namespace troupe
