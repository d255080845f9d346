#include "troupe/graph/passes/unfused_nodes.hpp"

#include "troupe/graph/ops/fusion.hpp"
#include "troupe/graph/passes/fuse_elementwise.hpp"
#include "troupe/graph/passes/fuse_rows.hpp"

namespace troupe {
namespace {

void add_unfused(std::vector<NodeDef>& nodes, NodeDef def) {
  if (!fusion::is_fused(def.op)) return nodes.push_back(std::move(def));
  auto parts = def.op == fusion::op ? nodes_of_elementwise(def) : nodes_of_rows(def);
  for (auto& part : parts) add_unfused(nodes, std::move(part));
}

}  // namespace

std::vector<NodeDef> unfused_nodes(const Graph& graph) {
  std::vector<NodeDef> nodes;
  for (const auto& node : graph.nodes()) add_unfused(nodes, graph.def_of(node.id));
  return nodes;
}

}  // namespace troupe
