#include "troupe/graph/ops/handle.hpp"

#include <algorithm>
#include <cctype>

namespace troupe {
namespace {

// Graphs cannot name it: names of clients do not begin with '_'.
constexpr std::string_view unshared_prefix = "_unshared/";

/// Whether an empty shared_name stands for the node's name.
bool shares_node_name(const Node& node) {
  if (node.op->works_on_named_resource()) return true;
  const auto& op = node.op->name();
  if (op == "VarHandleOp" || op == "VariableV2" || op == "Variable") return true;
  auto found = node.attrs.find("use_node_name_sharing");
  if (found == node.attrs.end()) return false;
  auto* shares = found->second.get<bool>();
  return shares && *shares;
}

}  // namespace

std::optional<ResourceName> resource_of(const Node& node) {
  if (!node.op->makes_resource_handle() && !node.op->works_on_named_resource()) return {};
  const auto& container = container_of(node);
  const auto& shared_name = node.attr<std::string>("shared_name");
  if (!shared_name.empty()) return ResourceName{container, shared_name};
  if (shares_node_name(node)) return ResourceName{container, node.name};
  return ResourceName{std::string(unshared_prefix) + container, node.name};
}

bool is_unshared(const ResourceName& resource) {
  return resource.container.starts_with(unshared_prefix);
}

const std::string& container_of(const Node& handle) {
  return handle.attr<std::string>("container");
}

Status check_container(const std::string& name) {
  auto is_allowed = [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_.-/").find(static_cast<char>(c)) !=
                                  std::string_view::npos;
  };
  if (std::ranges::all_of(name, is_allowed)) return {};
  return invalid_argument(
      "'" + name + "' is no name for a container: letters, digits and _ . - / are allowed");
}

}  // namespace troupe
