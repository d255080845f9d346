#include "troupe/graph/place/placement.hpp"

#include <algorithm>
#include <numeric>

namespace troupe {
namespace {

Where where(const Node& node) { return {.node = node.name, .op = node.op->name()}; }

/// The node's wish with job and task filled in.
Result<DeviceName> wish_of(const Node& node, const ClusterSpec& cluster, const DeviceName& master) {
  auto wish = DeviceName::parse(node.device);
  if (!wish) return wish.status().at(where(node));
  if (!wish->job && !wish->task) return *wish;
  if (!wish->job) wish->job = master.job;
  if (!wish->task) {
    auto job = cluster.jobs().find(*wish->job);
    wish->task =
        job == cluster.jobs().end() || job->second.empty() ? 0 : job->second.begin()->first;
  }
  if (auto address = cluster.address(*wish->job, *wish->task); !address)
    return invalid_argument(
               "the node wishes for the device '" + node.device + "', but " +
               address.status().message())
        .at(where(node));
  return *wish;
}

/// Nodes that must share a device, as a forest: the root of each group carries its wish.
class Groups {
 public:
  Groups(const Graph& graph, const std::vector<NodeId>& nodes) : graph_(graph) {
    for (auto id : nodes) members_[id] = {.parent = id, .wish = {}, .wisher = id};
  }

  NodeId root(NodeId id) {
    while (members_.at(id).parent != id) id = members_.at(id).parent;
    return id;
  }

  const DeviceName& wish(NodeId id) { return members_.at(root(id)).wish; }

  Status add_wish(NodeId id, const DeviceName& wish) {
    auto& group = members_.at(root(id));
    auto merged = wish.or_else(group.wish);
    if (!merged.satisfies(group.wish)) return conflict(id, wish, group.wisher, group.wish);
    if (merged != group.wish) group.wisher = id;
    group.wish = merged;
    return {};
  }

  Status unite(NodeId a, NodeId b) {
    if (!members_.contains(a) || !members_.contains(b)) return {};
    auto from = root(a), to = root(b);
    if (from == to) return {};
    auto wish = members_.at(from).wish;
    auto wisher = members_.at(from).wisher;
    members_.at(from).parent = to;
    return add_wish(wisher, wish);
  }

 private:
  struct Member {
    NodeId parent;
    DeviceName wish;
    NodeId wisher;  // who said it, for errors
  };

  Status conflict(NodeId a, const DeviceName& one, NodeId b, const DeviceName& other) const {
    const auto& first = graph_.node(a);
    const auto& second = graph_.node(b);
    return invalid_argument(
               "the node wishes for " + one.to_string() + ", but it must share the device of '" +
               second.name + "', which wishes for " + other.to_string() +
               "; drop one of the wishes (what uses a resource runs where the resource is)")
        .at(where(first));
  }

  const Graph& graph_;
  std::map<NodeId, Member> members_;
};

/// Unites the users of a resource with its handle, and what is colocated by name.
Status unite_neighbours(const Graph& graph, const std::vector<NodeId>& nodes, Groups& groups) {
  for (auto id : nodes) {
    const auto& node = graph.node(id);
    for (auto input : node.inputs)
      if (graph.dtype_of(input) == DType::resource)
        if (auto status = groups.unite(id, input.node); !status.ok()) return status;
    auto found = node.attrs.find("_class");
    auto* classes =
        found == node.attrs.end() ? nullptr : found->second.get<std::vector<std::string>>();
    if (!classes) continue;
    for (const auto& name : *classes) {
      if (!name.starts_with("loc:@")) continue;
      auto other = graph.find(name.substr(5));
      if (!other) return other.status().at(where(node));
      if (auto status = groups.unite(id, *other); !status.ok()) return status;
    }
  }
  return {};
}

std::string list(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const auto& candidate : candidates)
    text += (text.empty() ? "" : ", ") + candidate.name.to_string();
  return text;
}

/// The candidate that fits the group's wish and has the node's kernel.
Result<DeviceName> choose(
    const Node& node, const DeviceName& wish, const std::vector<Candidate>& candidates) {
  bool exists = false;
  for (const auto& candidate : candidates) {
    if (!candidate.name.satisfies(wish)) continue;
    exists = true;
    if (candidate.ops->contains(node.op->name())) return candidate.name;
  }
  if (exists)
    return unimplemented(
               "no device that fits '" + wish.to_string() + "' has a kernel for op " +
               node.op->name())
        .at(where(node));
  return invalid_argument(
             "no device fits '" + wish.to_string() + "' (the node wishes for '" + node.device +
             "'); there are: " + list(candidates))
      .at(where(node));
}

}  // namespace

Result<std::set<std::pair<std::string, int>>> tasks_of(
    const Graph& graph, const std::vector<NodeId>& nodes, const ClusterSpec& cluster,
    const DeviceName& master) {
  std::set<std::pair<std::string, int>> tasks = {{*master.job, *master.task}};
  for (auto id : nodes) {
    auto wish = wish_of(graph.node(id), cluster, master);
    if (!wish) return wish.status();
    if (wish->job) tasks.emplace(*wish->job, *wish->task);
  }
  return tasks;
}

Result<std::map<NodeId, DeviceName>> place(
    const Graph& graph, const std::vector<NodeId>& nodes, const std::vector<Candidate>& candidates,
    const ClusterSpec& cluster, const DeviceName& master) {
  Groups groups(graph, nodes);
  for (auto id : nodes) {
    auto wish = wish_of(graph.node(id), cluster, master);
    if (!wish) return wish.status();
    if (auto status = groups.add_wish(id, *wish); !status.ok()) return status;
  }
  if (auto status = unite_neighbours(graph, nodes, groups); !status.ok()) return status;

  std::map<NodeId, DeviceName> devices;
  for (auto id : nodes) {
    auto wish = groups.wish(id);
    auto local = wish.or_else({.job = master.job, .task = master.task});
    auto device = choose(graph.node(id), wish.job ? wish : local, candidates);
    if (!device) return device.status();
    devices.emplace(id, *device);
  }
  return devices;
}

}  // namespace troupe
