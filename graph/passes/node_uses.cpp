#include "troupe/graph/passes/node_uses.hpp"

namespace troupe {

NodeUses::NodeUses(const std::vector<NodeDef>& nodes) : uses_(nodes.size()) {
  index_.reserve(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) index_.emplace(nodes[i].name, i);
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const auto& input : nodes[i].inputs) {
      auto source = source_of(input);
      if (!source) continue;
      auto& uses = uses_[*source];
      const auto& name = nodes[*source].name;
      auto is_only_output = input == name || input == name + ":0";
      if (!is_only_output || i <= *source) uses.is_other = true;
      else uses.by.push_back(i);
    }
}

std::optional<size_t> NodeUses::source_of(std::string_view input) const {
  if (input.starts_with('^')) input.remove_prefix(1);
  auto found = index_.find(input.substr(0, input.rfind(':')));
  return found == index_.end() ? std::optional<size_t>() : found->second;
}

bool NodeUses::comes_behind_inputs(const NodeDef& node, size_t index) const {
  return std::ranges::all_of(node.inputs, [&](const auto& input) {
    auto source = source_of(input);
    return !source || *source < index;
  });
}

bool NodeUses::only_serves(const NodeGroup& group, size_t index) const {
  const auto& uses = uses_[index];
  return !uses.is_other &&
         std::ranges::all_of(uses.by, [&](size_t user) { return group.contains(user); });
}

}  // namespace troupe
