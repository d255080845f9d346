#include "troupe/graph/place/resource_users.hpp"

#include <string>
#include <vector>

#include "troupe/graph/ops/handle.hpp"

namespace troupe {

namespace {

using Ops = std::set<std::string_view>;

/// The nodes before it, handles of which, or references, a node is given, or with which it is to
/// share a device (`_class`).
std::vector<NodeId> neighbours_of(const Node& node, const Graph& graph) {
  std::vector<NodeId> found;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    auto input = node.inputs[i];
    if (is_opaque(graph.dtype_of(input)) || node.takes_reference(static_cast<int>(i)))
      found.push_back(input.node);
  }
  auto classes = node.attrs.find("_class");
  if (classes != node.attrs.end())
    if (auto* names = classes->second.get<std::vector<std::string>>())
      for (const auto& name : *names)
        if (name.starts_with("loc:@"))
          if (auto other = graph.find(name.substr(5))) found.push_back(*other);
  std::erase_if(found, [&](NodeId other) { return other >= node.id; });
  return found;
}

}  // namespace

std::map<ResourceName, Ops> ops_by_resource(const Graph& graph) {
  std::map<ResourceName, Ops> found;
  std::vector<Ops*> used(static_cast<size_t>(graph.size()), nullptr);
  for (const auto& node : graph.nodes()) {
    auto& own = used[static_cast<size_t>(node.id)];
    if (auto resource = resource_of(node)) own = &found[*resource];
    for (auto neighbour : neighbours_of(node, graph)) {
      auto* ops = used[static_cast<size_t>(neighbour)];
      if (!own) own = ops;
      else if (ops) ops->insert(node.op->name());
    }
    if (own) own->insert(node.op->name());
  }
  return found;
}

}  // namespace troupe
