#include "troupe/graph/place/placement.hpp"

#include <algorithm>

#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

Where where(const Node& node) { return {.node = node.name, .op = node.op->name()}; }

/// The node's wish with job and task filled in.
Result<DeviceName> wish_of(const Node& node, const PlacementView& view) {
  auto wish = DeviceName::parse(node.device);
  if (!wish) return wish.status().at(where(node));
  if (!wish->job && !wish->task) return *wish;
  const auto& jobs = view.cluster.jobs();
  if (!wish->job) wish->job = view.master.job;
  if (!wish->task) {
    auto job = jobs.find(*wish->job);
    wish->task = job == jobs.end() || job->second.empty() ? 0 : job->second.begin()->first;
  }
  if (auto address = view.cluster.task_address(*wish->job, *wish->task); !address)
    return invalid_argument(
               "the node wishes for the device '" + node.device + "', but " +
               address.status().message())
        .at(where(node));
  return *wish;
}

std::string list(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const auto& candidate : candidates)
    text += (text.empty() ? "" : ", ") + candidate.name.to_string();
  return text;
}

bool is_seen(const DeviceName& device, const PlacementView& view) {
  if (device.job == view.master.job && device.task == view.master.task) return true;
  return view.filters.empty() || std::ranges::any_of(view.filters, [&](const auto& filter) {
           return device.satisfies(filter);
         });
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

/// Nodes that must share a device, as a forest: the root of each group carries its wish.
class Placement::Groups {
 public:
  Groups(
      const Graph& graph, const std::vector<NodeId>& nodes,
      std::shared_ptr<const PlacementView> view)
      : graph_(graph), nodes_(nodes), view_(std::move(view)) {
    for (auto id : nodes) members_[id] = {.parent = id, .wish = {}, .wisher = id};
  }

  const Graph& graph() const { return graph_; }
  const std::vector<NodeId>& nodes() const { return nodes_; }
  const PlacementView& view() const { return *view_; }

  NodeId root(NodeId id) const {
    while (members_.at(id).parent != id) id = members_.at(id).parent;
    return id;
  }

  const DeviceName& wish(NodeId id) const { return members_.at(root(id)).wish; }

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

  /// Unites the users of a resource with its handle, and what is colocated by name.
  Status unite_neighbours(NodeId id) {
    const auto& node = graph_.node(id);
    for (auto input : node.inputs)
      if (graph_.dtype_of(input) == DType::resource)
        if (auto status = unite(id, input.node); !status.ok()) return status;
    auto found = node.attrs.find("_class");
    auto* classes =
        found == node.attrs.end() ? nullptr : found->second.get<std::vector<std::string>>();
    if (!classes) return {};
    for (const auto& name : *classes) {
      if (!name.starts_with("loc:@")) continue;
      auto other = graph_.find(name.substr(5));
      if (!other) return other.status().at(where(node));
      if (auto status = unite(id, *other); !status.ok()) return status;
    }
    return {};
  }

  /// The thing that the node makes the handle of lives there.
  Status settle(NodeId id, const ResourceName& thing, const DeviceName& home) {
    auto& group = members_.at(root(id));
    if (!home.satisfies(group.wish))
      return failed_precondition(
                 "'" + thing.name + "' of container '" + thing.container + "' lives on " +
                 home.to_string() + ", but '" + graph_.node(group.wisher).name + "' wishes for " +
                 group.wish.to_string() +
                 "; drop that wish, reset the container, or choose another name")
          .at(where(graph_.node(id)));
    group.wish = home;
    group.wisher = id;
    return {};
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
  std::vector<NodeId> nodes_;
  std::shared_ptr<const PlacementView> view_;
  std::map<NodeId, Member> members_;
};

Placement::Placement(std::unique_ptr<Groups> groups) : groups_(std::move(groups)) {}
Placement::Placement(Placement&&) noexcept = default;
Placement& Placement::operator=(Placement&&) noexcept = default;
Placement::~Placement() = default;

Result<Placement> Placement::begin(
    const Graph& graph, const std::vector<NodeId>& nodes,
    std::shared_ptr<const PlacementView> view) {
  auto groups = std::make_unique<Groups>(graph, nodes, view);
  for (auto id : nodes) {
    auto wish = wish_of(graph.node(id), groups->view());
    if (!wish) return wish.status();
    if (auto status = groups->add_wish(id, *wish); !status.ok()) return status;
  }
  for (auto id : nodes)
    if (auto status = groups->unite_neighbours(id); !status.ok()) return status;
  return Placement(std::move(groups));
}

Placement::Homes Placement::unpinned() const {
  Homes homes;
  for (auto id : groups_->nodes()) {
    auto thing = handled_by(groups_->graph().node(id));
    const auto& wish = groups_->wish(id);
    if (thing && !wish.job) homes.emplace(*std::move(thing), wish.or_else(groups_->view().master));
  }
  return homes;
}

Status Placement::settle(const Homes& homes) {
  for (auto id : groups_->nodes()) {
    auto thing = handled_by(groups_->graph().node(id));
    if (!thing) continue;
    auto home = homes.find(*thing);
    if (home == homes.end()) continue;
    if (auto status = groups_->settle(id, *thing, home->second); !status.ok()) return status;
  }
  return {};
}

Result<Placement::Tasks> Placement::tasks() const {
  const auto& view = groups_->view();
  Tasks tasks = {{*view.master.job, *view.master.task}};
  for (auto id : groups_->nodes()) {
    const auto& wish = groups_->wish(id);
    if (!wish.job) continue;
    if (!is_seen(wish, view))
      return invalid_argument(
                 "the node has to run on " + wish.to_string() +
                 ", which the session's device filters leave out")
          .at(where(groups_->graph().node(id)));
    tasks.emplace(*wish.job, *wish.task);
  }
  return tasks;
}

Result<std::map<NodeId, DeviceName>> Placement::devices(
    const std::vector<Candidate>& candidates) const {
  const auto& master = groups_->view().master;
  std::map<NodeId, DeviceName> devices;
  for (auto id : groups_->nodes()) {
    auto wish = groups_->wish(id);
    auto local = wish.or_else({.job = master.job, .task = master.task});
    auto device = choose(groups_->graph().node(id), wish.job ? wish : local, candidates);
    if (!device) return device.status();
    devices.emplace(id, *device);
  }
  return devices;
}

}  // namespace troupe
