#include "troupe/actors/session/extend_graph.hpp"

#include <algorithm>
#include <string>

#include "troupe/actors/link/wire_message.hpp"

namespace troupe {
namespace {

/// Counts the values of the longest list in an attribute, those of the functions it refers to
/// included.
struct ValueCount {
  template <class T>
  size_t operator()(const T&) const {
    return 1;
  }
  template <class T>
  size_t operator()(const std::vector<T>& values) const {
    return values.size();
  }
  size_t operator()(const FunctionRef& value) const {
    size_t most = 1;
    for (const auto& [name, attr] : value.attrs())
      most = std::max(most, std::visit(*this, attr.variant()));
    return most;
  }
  size_t operator()(const FunctionRefs& values) const {
    auto most = values.size();
    for (const auto& value : values) most = std::max(most, (*this)(value));
    return most;
  }
};

/// Fails where a list in an attribute has more than attr_values_max values: the node could not be
/// sent to its task.
Status check_attrs(const NodeDef& def) {
  for (const auto& [name, value] : def.attrs) {
    auto count = std::visit(ValueCount(), value.variant());
    if (count <= attr_values_max) continue;
    return invalid_argument(
               "the list in attribute '" + name + "' has " + std::to_string(count) +
               " values, more than " + std::to_string(attr_values_max))
        .at({.node = def.name, .op = def.op});
  }
  return {};
}

Status check_def(const NodeDef& def) {
  auto found = def.attrs.find("container");
  auto* container = found == def.attrs.end() ? nullptr : found->second.get<std::string>();
  auto is_reserved = def.op.starts_with('_') || def.name.starts_with('_') ||
                     (container && container->starts_with('_'));
  if (!is_reserved) return check_attrs(def);
  return invalid_argument("names that begin with '_' are reserved")
      .at({.node = def.name, .op = def.op});
}

Status add_all(Graph& graph, std::vector<FunctionDef>& functions, std::vector<NodeDef>& nodes) {
  for (const auto& function : functions)
    for (const auto& def : function.nodes)
      if (auto status = check_def(def); !status.ok()) return status;
  if (auto status = graph.add_functions(std::move(functions)); !status.ok()) return status;
  graph.reserve(nodes.size());
  for (auto& def : nodes) {
    if (auto status = check_def(def); !status.ok()) return status;
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
