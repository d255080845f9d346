#include "troupe/devices/plan.hpp"

#include <algorithm>
#include <set>

#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/transfer.hpp"

namespace troupe {

namespace {

bool gives_handle(const Node& node) {
  for (size_t i = 0; i < node.output_dtypes.size(); ++i)
    if (node.output_dtypes[i] == DType::resource || node.gives_reference(static_cast<int>(i)))
      return true;
  return false;
}

/// The handles whose resources the graph brings into being: those of kinds that their handle makes,
/// and those that an op of the kind's creating_ops uses, directly or passed on by other ops.
std::set<NodeId> created_handles(const Graph& graph, const ResourceKindCatalog& kinds) {
  std::set<NodeId> created;
  std::map<NodeId, std::set<NodeId>> sources;  // of the handles that a node gives
  for (const auto& node : graph.nodes()) {
    std::set<NodeId> handles;
    for (auto input : node.inputs)
      if (auto found = sources.find(input.node); found != sources.end())
        handles.insert(found->second.begin(), found->second.end());
    for (auto handle : handles)
      if (auto kind = kinds.find(graph.node(handle).op->name());
          kind && std::ranges::count((*kind)->creating_ops, node.op->name()))
        created.insert(handle);
    auto kind = kinds.find(node.op->name());
    if (kind && (*kind)->creating_ops.empty()) created.insert(node.id);
    if (!gives_handle(node)) continue;
    if (node.op->makes_resource_handle()) handles = {node.id};
    sources[node.id] = std::move(handles);
  }
  return created;
}

}  // namespace

Result<std::vector<ResourceUse>> resources_of(
    const std::shared_ptr<const Graph>& graph, const ResourceKindCatalog& kinds) {
  std::vector<ResourceUse> uses;
  auto created = created_handles(*graph, kinds);
  for (const auto& node : graph->nodes()) {
    auto name = resource_of(node);
    if (!name) continue;
    auto kind = kinds.find(node.op->name());
    if (!kind) return kind.status().at({.node = node.name, .op = node.op->name()});
    uses.push_back(
        {.node = node.id,
         .name = *std::move(name),
         .is_pinned = !node.attrs.contains(unpinned_attr),
         .is_created = created.contains(node.id),
         .kind = *std::move(kind),
         .graph = graph});
  }
  return uses;
}

bool Plan::leads_to(int32_t from, int32_t to) const {
  std::lock_guard lock(reached_mutex_);
  auto [known, is_new] = reached_.try_emplace(from);
  if (is_new) known->second = items_after(from);
  return known->second[static_cast<size_t>(to)];
}

std::vector<bool> Plan::items_after(int32_t from) const {
  std::vector<bool> reached(items_.size());
  std::vector<int32_t> found{from};
  auto reach = [&](int32_t item) {
    if (!reached[static_cast<size_t>(item)]) found.push_back(item);
    reached[static_cast<size_t>(item)] = true;
  };
  auto op_of = [&](const NodeItem& item) { return graph_->node(item.node).op->name(); };
  while (!found.empty()) {
    const auto& item = items_[static_cast<size_t>(found.back())];
    found.pop_back();
    for (const auto& edge : std::span(edges_).subspan(item.first_edge, item.edge_count))
      reach(edge.node);
    if (op_of(item) != transfer::send) continue;
    for (size_t i = 0; i < items_.size(); ++i)
      if (op_of(items_[i]) == transfer::recv) reach(static_cast<int32_t>(i));
  }
  return reached;
}

Where Plan::where(const NodeItem& item) const {
  const auto& node = graph_->node(item.node);
  return {.node = node.name, .op = node.op->name(), .device = node.device, .task = {}};
}

}  // namespace troupe
