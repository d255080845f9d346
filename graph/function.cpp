#include "troupe/graph/function.hpp"

#include "troupe/graph/op.hpp"

namespace troupe {

Result<const Function*> FunctionLibrary::find(std::string_view name) const {
  if (auto found = numbers_.find(std::string(name)); found != numbers_.end())
    return functions_[found->second].get();
  std::vector<std::string> known;
  if (functions_.size() <= 10000)
    for (const auto& function : functions_) known.push_back(function->def.name);
  auto nearest = nearest_name(name, known);
  return not_found(
      "the graph has no function '" + std::string(name) + "'" +
      (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

std::vector<FunctionDef> FunctionLibrary::defs_from(size_t first) const {
  std::vector<FunctionDef> defs;
  for (auto i = first; i < functions_.size(); ++i) defs.push_back(functions_[i]->def);
  return defs;
}

std::vector<FunctionDef> FunctionLibrary::defs_used_by(const std::vector<NodeDef>& nodes) const {
  if (functions_.empty()) return {};
  std::vector<bool> is_used(functions_.size());
  auto use = [&](const std::vector<NodeDef>& users) {
    for (const auto& node : users)
      for (const auto& function : functions_in(node))
        if (auto found = numbers_.find(function.name()); found != numbers_.end())
          is_used[found->second] = true;
  };
  use(nodes);
  // Functions come after those that they call, so one pass downward suffices.
  for (auto i = functions_.size(); i-- > 0;)
    if (is_used[i]) use(functions_[i]->def.nodes);
  std::vector<FunctionDef> defs;
  for (size_t i = 0; i < functions_.size(); ++i)
    if (is_used[i]) defs.push_back(functions_[i]->def);
  return defs;
}

void FunctionLibrary::add(Function function) {
  auto name = function.def.name;
  CHECK(numbers_.emplace(std::move(name), functions_.size()).second);
  functions_.push_back(std::make_shared<const Function>(std::move(function)));
}

size_t count_nodes(const std::vector<NodeDef>& nodes, const std::vector<FunctionDef>& functions) {
  auto count = nodes.size();
  for (const auto& function : functions) count += function.nodes.size();
  return count;
}

FunctionRefs functions_in(const NodeDef& node) {
  FunctionRefs functions;
  for (const auto& [name, value] : node.attrs)
    for (auto& function : functions_in(value)) functions.push_back(std::move(function));
  return functions;
}

}  // namespace troupe
