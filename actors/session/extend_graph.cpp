#include "troupe/actors/session/extend_graph.hpp"

namespace troupe {
namespace {

Status check_names(const NodeDef& def) {
  auto found = def.attrs.find("container");
  auto* container = found == def.attrs.end() ? nullptr : found->second.get<std::string>();
  auto is_reserved = def.op.starts_with('_') || def.name.starts_with('_') ||
                     (container && container->starts_with('_'));
  if (!is_reserved) return {};
  return invalid_argument("names that begin with '_' are reserved")
      .at({.node = def.name, .op = def.op});
}

Status add_all(Graph& graph, std::vector<FunctionDef>& functions, std::vector<NodeDef>& nodes) {
  for (const auto& function : functions)
    for (const auto& def : function.nodes)
      if (auto status = check_names(def); !status.ok()) return status;
  if (auto status = graph.add_functions(std::move(functions)); !status.ok()) return status;
  for (auto& def : nodes) {
    if (auto status = check_names(def); !status.ok()) return status;
    if (auto id = graph.add(std::move(def)); !id) return id.status();
  }
  return graph.check_loops();
}

}  // namespace

Status extend_graph(Graph& graph, std::vector<FunctionDef> functions, std::vector<NodeDef> nodes) {
  auto size = graph.size();
  auto library = graph.shared_library();
  auto status = add_all(graph, functions, nodes);
  if (status.ok()) return status;
  graph.shrink_to(size);
  graph.restore_library(std::move(library));
  return status;
}

}  // namespace troupe
