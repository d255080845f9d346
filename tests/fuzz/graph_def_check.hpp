#pragma once

#include <memory>
#include <string>

#include "troupe/graph/import/import_graph.hpp"
#include "troupe/graph/support/check.hpp"

namespace troupe::testing {

/// Imports bytes as a GraphDef: an error leaves the graph empty, and a graph that came in comes in
/// again from its export, with as many nodes. True if it came in.
inline bool check_graph_def(
    const std::shared_ptr<const OpCatalog>& catalog, const std::string& bytes) {
  Graph graph(catalog);
  auto imported = import_graph_def(graph, bytes);
  if (!imported) {
    CHECK(graph.size() == 0);
    return false;
  }
  CHECK(graph.check_loops().ok());
  auto exported = export_graph_def(graph);
  if (!exported) return true;  // it says why
  Graph again(catalog);
  CHECK(import_graph_def(again, *exported).ok());
  CHECK(again.size() == graph.size());
  return true;
}

}  // namespace troupe::testing
