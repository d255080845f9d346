#include "troupe/graph/place/resource_users.hpp"

#include <vector>

#include "troupe/graph/ops/handle.hpp"

namespace troupe {

std::map<ResourceName, std::set<std::string_view>> ops_by_resource(const Graph& graph) {
  std::map<ResourceName, std::set<std::string_view>> found;
  std::vector<std::set<std::string_view>*> used(static_cast<size_t>(graph.size()), nullptr);
  for (const auto& node : graph.nodes()) {
    auto& own = used[static_cast<size_t>(node.id)];
    if (auto resource = resource_of(node)) own = &found[*resource];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      auto input = node.inputs[i];
      auto is_back_edge = input.node >= node.id;
      if (is_back_edge ||
          !(is_opaque(graph.dtype_of(input)) || node.takes_reference(static_cast<int>(i))))
        continue;
      auto* of_input = used[static_cast<size_t>(input.node)];
      if (!own) own = of_input;
      else if (of_input) of_input->insert(node.op->name());
    }
    if (own) own->insert(node.op->name());
  }
  return found;
}

}  // namespace troupe
