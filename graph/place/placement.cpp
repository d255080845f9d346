#include "troupe/graph/place/placement.hpp"

#include <algorithm>
#include <unordered_map>

#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/place/choose_device.hpp"
#include "troupe/graph/place/resource_users.hpp"

namespace troupe {
namespace {

Where where(const Node& node) { return {.node = node.name, .op = node.op->name()}; }

/// The node's device constraint, with the job and task that it implies filled in.
Result<DeviceName> constraint_of(const Node& node, const PlacementView& view) {
  auto constraint = DeviceName::parse(node.device);
  if (!constraint) return constraint.status().at(where(node));
  if (!constraint->job && !constraint->task) return *constraint;
  const auto& jobs = view.cluster.jobs();
  if (!constraint->job) constraint->job = view.master.job;
  if (!constraint->task) {
    auto job = jobs.find(*constraint->job);
    constraint->task = job == jobs.end() || job->second.empty() ? 0 : job->second.begin()->first;
  }
  if (auto address = view.cluster.task_address(*constraint->job, *constraint->task); !address)
    return invalid_argument(
               "the node asks for the device '" + node.device + "', but " +
               address.status().message())
        .at(where(node));
  return *constraint;
}

bool is_visible(const DeviceName& device, const PlacementView& view) {
  if (device.job == view.master.job && device.task == view.master.task) return true;
  return view.filters.empty() || std::ranges::any_of(view.filters, [&](const auto& filter) {
           return device.satisfies(filter);
         });
}

/// What the device of a group has to have.
struct GroupNeeds {
  /// Of its nodes, and of all that the graph does with its resources.
  std::set<std::string_view> ops;
  bool has_counter = false;  // a variable of int32
};

/// As choose_shared_device(). Where nothing asks for another type of device, counters are on a CPU,
/// as in TensorFlow, whose GPUs have no variables of int32: what is done with one is little, and
/// mostly the host wants to know it.
const Candidate* choose_for_group(
    const GroupNeeds& needs, const DeviceName& constraint, const TaskCandidates& by_task,
    bool is_soft) {
  std::vector<std::string_view> ops(needs.ops.begin(), needs.ops.end());
  if (needs.has_counter && !constraint.type) {
    auto on_cpu = constraint;
    on_cpu.type = "CPU";
    if (const auto* device = choose_shared_device(ops, on_cpu, by_task, false)) return device;
  }
  return choose_shared_device(ops, constraint, by_task, is_soft);
}

}  // namespace

/// Groups of nodes that must share a device, as a union-find forest: the root of each group holds
/// its constraint.
class Placement::ColocationGroups {
 public:
  ColocationGroups(
      const Graph& graph, const std::vector<NodeId>& nodes,
      std::shared_ptr<const PlacementView> view)
      : graph_(graph), nodes_(nodes), view_(std::move(view)) {
    members_.reserve(nodes.size());
    for (auto id : nodes) members_[id] = {.parent = id, .constraint = {}, .source = id};
  }

  const Graph& graph() const { return graph_; }
  const std::vector<NodeId>& nodes() const { return nodes_; }
  const PlacementView& view() const { return *view_; }

  NodeId root(NodeId id) const {
    while (members_.at(id).parent != id) id = members_.at(id).parent;
    return id;
  }

  const DeviceName& constraint(NodeId id) const { return members_.at(root(id)).constraint; }

  Status add_constraint(NodeId id, const DeviceName& constraint) {
    auto& group = members_.at(root(id));
    auto merged = constraint.or_else(group.constraint);
    if (!merged.satisfies(group.constraint)) {
      if (view_->is_soft && constraint != task_of(constraint))
        return add_constraint(id, task_of(constraint));
      return conflict(id, constraint, group.source, group.constraint);
    }
    if (merged != group.constraint) group.source = id;
    group.constraint = merged;
    return {};
  }

  Status colocate(NodeId a, NodeId b) {
    if (!members_.contains(a) || !members_.contains(b)) return {};
    auto from = root(a), to = root(b);
    members_.at(a).parent = from;  // shorter ways for later calls
    members_.at(b).parent = to;
    if (from == to) return {};
    auto constraint = members_.at(from).constraint;
    auto source = members_.at(from).source;
    members_.at(from).parent = to;
    return add_constraint(source, constraint);
  }

  /// The node of that name; where the graph has none, the first one that names it. (Gradient
  /// functions of TensorFlow name nodes of the functions that they are of.)
  NodeId node_of_class(NodeId id, const std::string& name) {
    auto other = graph_.find(name);
    return other ? *other : absent_.emplace(name, id).first->second;
  }

  /// Colocates the node with its resource handles, variants and references, and with the nodes that
  /// its `_class` names.
  Status colocate_neighbours(NodeId id) {
    const auto& node = graph_.node(id);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (auto input = node.inputs[i];
          is_opaque(graph_.dtype_of(input)) || node.takes_reference(static_cast<int>(i)))
        if (auto status = colocate(id, input.node); !status.ok()) return status;
    if (auto status = colocate_loop_variable(node); !status.ok()) return status;
    auto found = node.attrs.find("_class");
    auto* classes =
        found == node.attrs.end() ? nullptr : found->second.get<std::vector<std::string>>();
    if (!classes) return {};
    for (const auto& name : *classes) {
      if (!name.starts_with("loc:@")) continue;
      if (auto status = colocate(id, node_of_class(id, name.substr(5))); !status.ok())
        return status;
    }
    return {};
  }

  /// Colocates a Merge that begins the iterations of a loop with the Enter and the NextIteration
  /// that it takes its values from: each brings one in some iterations only, so that what another
  /// device would receive cannot be counted by iterations.
  Status colocate_loop_variable(const Node& node) {
    auto is_back_edge = [&](Output input) { return input.node > node.id; };
    if (std::ranges::none_of(node.inputs, is_back_edge)) return {};
    for (auto input : node.inputs)
      if (auto status = colocate(node.id, input.node); !status.ok()) return status;
    return {};
  }

  /// Constrains the group of a handle to the device of its resource.
  Status assign(NodeId id, const ResourceName& resource, const DeviceName& device) {
    auto& group = members_.at(root(id));
    if (!device.satisfies(view_->is_soft ? task_of(group.constraint) : group.constraint))
      return failed_precondition(
                 "'" + resource.name + "' of container '" + resource.container + "' lives on " +
                 device.to_string() + ", but '" + graph_.node(group.source).name + "' asks for " +
                 group.constraint.to_string() +
                 "; drop that constraint, reset the container, or choose another name")
          .at(where(graph_.node(id)));
    group.constraint = device;
    group.source = id;
    group.origin = PlacementGroup::Origin::resource;
    return {};
  }

  void choose(NodeId id, const DeviceName& device) {
    auto& group = members_.at(root(id));
    group.constraint = device;
    group.source = id;
    group.origin = PlacementGroup::Origin::cost;
  }

  /// By the roots of groups.
  std::map<NodeId, GroupNeeds> needs() const {
    std::map<NodeId, GroupNeeds> found;
    auto of_resources = ops_by_resource(graph_);
    for (auto id : nodes_) {
      const auto& node = graph_.node(id);
      auto& group = found[root(id)];
      group.ops.insert(node.op->name());
      auto resource = resource_of(node);
      if (!resource) continue;
      const auto& ops = of_resources[*resource];
      group.ops.insert(ops.begin(), ops.end());
      auto dtype = node.attrs.find("dtype");
      group.has_counter |= dtype != node.attrs.end() && dtype->second == AttrValue(DType::int32);
    }
    return found;
  }

  std::vector<PlacementGroup> groups() const {
    std::map<NodeId, PlacementGroup> found;
    for (auto id : nodes_) {
      auto& group = found[root(id)];
      if (group.nodes.empty()) {
        const auto& member = members_.at(root(id));
        group.constraint = member.constraint;
        group.source = member.source;
        group.is_pinned = member.constraint.job.has_value();
        group.origin = member.origin != PlacementGroup::Origin::nothing ? member.origin
                       : member.constraint == DeviceName() ? PlacementGroup::Origin::nothing
                                                           : PlacementGroup::Origin::constraint;
      }
      group.nodes.push_back(id);
    }
    std::vector<PlacementGroup> groups;
    for (auto& [id, group] : found) groups.push_back(std::move(group));
    return groups;
  }

 private:
  struct Member {
    NodeId parent;
    DeviceName constraint;
    NodeId source;  // the node that the constraint comes from, for errors
    PlacementGroup::Origin origin = PlacementGroup::Origin::nothing;
  };

  Status conflict(
      NodeId node, const DeviceName& constraint, NodeId source, const DeviceName& other) const {
    return invalid_argument(
               "the node asks for " + constraint.to_string() +
               ", but it must share the device of '" + graph_.node(source).name +
               "', which asks for " + other.to_string() +
               "; drop one of the constraints (what uses a resource runs where the resource is)")
        .at(where(graph_.node(node)));
  }

  const Graph& graph_;
  std::vector<NodeId> nodes_;
  std::shared_ptr<const PlacementView> view_;
  std::unordered_map<NodeId, Member> members_;
  std::map<std::string, NodeId> absent_;  // the first node that is to be with one that is not there
};

Placement::Placement(std::unique_ptr<ColocationGroups> groups) : groups_(std::move(groups)) {}
Placement::Placement(Placement&&) noexcept = default;
Placement& Placement::operator=(Placement&&) noexcept = default;
Placement::~Placement() = default;

Result<Placement> Placement::begin(
    const Graph& graph, const std::vector<NodeId>& nodes,
    std::shared_ptr<const PlacementView> view) {
  auto groups = std::make_unique<ColocationGroups>(graph, nodes, view);
  for (auto id : nodes) {
    auto constraint = constraint_of(graph.node(id), groups->view());
    if (!constraint) return constraint.status();
    if (auto status = groups->add_constraint(id, *constraint); !status.ok()) return status;
  }
  for (auto id : nodes)
    if (auto status = groups->colocate_neighbours(id); !status.ok()) return status;
  return Placement(std::move(groups));
}

Placement::ResourceDevices Placement::unpinned_resources() const {
  ResourceDevices devices;
  auto local = by_task(view().local);
  // Where there is no choice, nobody needs to know what is done with resources.
  auto needs = view().local.size() > 1 ? groups_->needs() : std::map<NodeId, GroupNeeds>();
  for (auto id : groups_->nodes()) {
    auto resource = resource_of(groups_->graph().node(id));
    const auto& constraint = groups_->constraint(id);
    if (!resource || constraint.job) continue;
    auto here = constraint.or_else(task_of(view().master));
    const auto* device = choose_for_group(needs[groups_->root(id)], here, local, view().is_soft);
    devices.emplace(
        *std::move(resource), device ? device->name : constraint.or_else(view().master));
  }
  return devices;
}

Status Placement::assign(const ResourceDevices& devices) {
  for (auto id : groups_->nodes()) {
    auto resource = resource_of(groups_->graph().node(id));
    if (!resource) continue;
    auto device = devices.find(*resource);
    if (device == devices.end()) continue;
    if (auto status = groups_->assign(id, *resource, device->second); !status.ok()) return status;
  }
  return {};
}

Result<Placement::Tasks> Placement::tasks() const {
  const auto& view = groups_->view();
  Tasks tasks = {{*view.master.job, *view.master.task}};
  for (auto id : groups_->nodes()) {
    const auto& constraint = groups_->constraint(id);
    if (!constraint.job) continue;
    if (!is_visible(constraint, view))
      return invalid_argument(
                 "the node has to run on " + constraint.to_string() +
                 ", which the session's device filters leave out")
          .at(where(groups_->graph().node(id)));
    tasks.emplace(*constraint.job, *constraint.task);
  }
  return tasks;
}

Placement::Tasks Placement::visible_tasks() const {
  Tasks tasks;
  for (const auto& [job, addresses] : view().cluster.jobs())
    for (const auto& [task, address] : addresses)
      if (is_visible({.job = job, .task = task}, view())) tasks.emplace(job, task);
  return tasks;
}

std::vector<PlacementGroup> Placement::groups(const std::vector<Candidate>& candidates) const {
  auto groups = groups_->groups();
  for (auto& group : groups) {
    auto is_asked_for = group.constraint.type.has_value() && !view().is_soft;
    for (const auto& candidate : candidates)
      if (candidate.name.satisfies(group.constraint) &&
          std::ranges::all_of(group.nodes, [&](NodeId id) {
            return candidate.ops.contains(groups_->graph().node(id).op->name(), is_asked_for);
          }))
        group.possible.push_back(candidate.name);
  }
  return groups;
}

void Placement::choose(NodeId node, const DeviceName& device) { groups_->choose(node, device); }

const PlacementView& Placement::view() const { return groups_->view(); }

Result<std::map<NodeId, DeviceName>> Placement::devices(
    const std::vector<Candidate>& candidates) const {
  const auto& master = groups_->view().master;
  auto of_tasks = by_task(candidates);
  std::map<NodeId, const Candidate*> shared;  // by the root of a group
  auto constraint_at = [&](NodeId id) {
    const auto& own = groups_->constraint(id);
    return own.job ? own : own.or_else({.job = master.job, .task = master.task});
  };
  if (candidates.size() > of_tasks.size())  // else there is no choice
    for (const auto& [root, needs] : groups_->needs())
      shared[root] = choose_for_group(needs, constraint_at(root), of_tasks, view().is_soft);
  std::map<NodeId, DeviceName> devices;
  for (auto id : groups_->nodes()) {
    if (const auto* device = shared[groups_->root(id)]) {
      devices.emplace(id, device->name);
      continue;
    }
    auto device = choose_device(
        groups_->graph().node(id), constraint_at(id), of_tasks, candidates, view().is_soft);
    if (!device) return device.status();
    devices.emplace(id, *device);
  }
  return devices;
}

}  // namespace troupe
