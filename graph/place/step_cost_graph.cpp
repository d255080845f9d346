#include "troupe/graph/place/step_cost_graph.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "troupe/graph/passes/find_frames.hpp"
#include "troupe/graph/place/list_scheduling.hpp"

namespace troupe {
namespace {

class CostGraphMaker {
 public:
  CostGraphMaker(const Graph& graph, const PrunedStep& step, const StepCosts& costs)
      : graph_(graph), step_(step), costs_(costs) {
    for (size_t i = 0; i < step.feeds.size(); ++i) feeds_[step.feeds[i]] = static_cast<int>(i);
  }

  StepCostGraph make(const std::vector<Candidate>& candidates, const DeviceName& master) {
    add_devices(candidates, master);
    add_client();
    for (auto id : step_.nodes)
      if (!is_copied_constant(graph_.node(id))) add(graph_.node(id));
    add_client();
    for (auto fetch : step_.fetches) add_input(fetch);
    return std::move(made_);
  }

 private:
  void add_devices(const std::vector<Candidate>& candidates, const DeviceName& master) {
    auto& devices = made_.devices;
    devices.push_back(master);
    for (const auto& candidate : candidates)
      if (candidate.name != master) devices.push_back(candidate.name);
    made_.graph.device_count = static_cast<int>(devices.size());
    for (const auto& from : devices)
      for (const auto& to : devices)
        made_.graph.links.push_back(from == to ? CostGraph::Link() : costs_.link(from, to));
    all_.resize(devices.size());
    std::iota(all_.begin(), all_.end(), 0);
  }

  CostGraph::Node& add_node(NodeId id, std::vector<int> devices) {
    made_.ids.push_back(id);
    auto group = static_cast<int>(made_.graph.groups.size());
    made_.graph.groups.push_back({std::move(devices)});
    return made_.graph.nodes.emplace_back(
        CostGraph::Node{.group = group, .times = {}, .inputs = {}});
  }

  void add_client() { add_node(-1, {0}).times.assign(all_.size(), CostGraph::Time(0)); }

  void add(const Node& node) {
    auto& added = add_node(node.id, all_);
    for (const auto& device : made_.devices)
      added.times.push_back(costs_.time_of(graph_, node, device.type.value_or("CPU")));
    for (auto input : node.inputs) add_input(input);
    for (auto input : node.control_inputs)
      if (auto found = numbers_.find(input); found != numbers_.end())
        made_.graph.nodes.back().inputs.push_back({found->second, control, 0});
    numbers_[node.id] = static_cast<int>(made_.ids.size()) - 1;
  }

  /// An input of the node that was added last. Values of copied constants are where they are used,
  /// and those of earlier iterations are not waited for.
  void add_input(Output output) {
    auto bytes = costs_.bytes_of(graph_, output);
    auto& inputs = made_.graph.nodes.back().inputs;
    if (auto feed = feeds_.find(output); feed != feeds_.end())
      inputs.push_back({0, feed->second, bytes});
    else if (auto found = numbers_.find(output.node); found != numbers_.end())
      inputs.push_back({found->second, output.index, bytes});
  }

  static constexpr int control = -1;

  const Graph& graph_;
  const PrunedStep& step_;
  const StepCosts& costs_;
  std::map<Output, int> feeds_;
  std::unordered_map<NodeId, int> numbers_;
  std::vector<int> all_;  // devices
  StepCostGraph made_;
};

/// Puts nodes of a CostGraph together that must share a device.
class GroupMerger {
 public:
  GroupMerger(const Graph& graph, const PrunedStep& step, StepCostGraph& made)
      : graph_(graph), step_(step), made_(made) {
    for (size_t i = 0; i < made.devices.size(); ++i) numbers_[made.devices[i].to_string()] = i;
    for (size_t i = 0; i < made.ids.size(); ++i)
      if (made.ids[i] >= 0) nodes_[made.ids[i]] = static_cast<int>(i);
  }

  Status run(const std::vector<PlacementGroup>& groups) {
    std::vector<CostGraph::Group> merged;
    for (const auto& group : groups) add(group, merged);
    for (size_t i = 0; i < made_.ids.size(); ++i)
      if (made_.ids[i] < 0) {
        made_.graph.nodes[i].group = static_cast<int>(merged.size());
        merged.push_back({{0}});
      }
    made_.graph.groups = std::move(merged);
    return keep_loops_together();
  }

 private:
  void add(const PlacementGroup& group, std::vector<CostGraph::Group>& merged) {
    CostGraph::Group made;
    for (const auto& device : group.possible)
      if (auto found = numbers_.find(device.to_string()); found != numbers_.end())
        made.devices.push_back(static_cast<int>(found->second));
    if (group.is_pinned && !made.devices.empty()) made.devices.resize(1);
    std::ranges::sort(made.devices);
    if (made.devices.empty()) made.devices = {0};  // an error, which Placement::devices() reports
    for (auto id : group.nodes)
      if (auto found = nodes_.find(id); found != nodes_.end())
        made_.graph.nodes[static_cast<size_t>(found->second)].group =
            static_cast<int>(merged.size());
    merged.push_back(std::move(made));
  }

  /// One group for the nodes of each loop that is in no other, where a device may have them all. A
  /// loop on several devices goes round on each, and sends its condition in each iteration.
  Status keep_loops_together() {
    auto frames = find_frames(graph_, step_.nodes);
    if (!frames) return frames.status();
    std::map<int, std::vector<int>> loops;  // their groups
    for (const auto& [id, number] : nodes_) {
      auto frame = frames->of_nodes[static_cast<size_t>(id)];
      if (frame <= 0) continue;
      while (frames->frames[static_cast<size_t>(frame)].parent > 0)
        frame = frames->frames[static_cast<size_t>(frame)].parent;
      loops[frame].push_back(made_.graph.nodes[static_cast<size_t>(number)].group);
    }
    for (const auto& [frame, groups] : loops) merge(groups);
    return {};
  }

  void merge(const std::vector<int>& groups) {
    auto devices = made_.graph.groups[static_cast<size_t>(groups.front())].devices;
    for (auto group : groups) {
      std::vector<int> common;
      std::ranges::set_intersection(
          devices, made_.graph.groups[static_cast<size_t>(group)].devices,
          std::back_inserter(common));
      devices = std::move(common);
    }
    if (devices.empty()) return;
    auto target = groups.front();
    std::vector<bool> joins(made_.graph.groups.size());
    for (auto group : groups) joins[static_cast<size_t>(group)] = true;
    for (auto& node : made_.graph.nodes)
      if (joins[static_cast<size_t>(node.group)]) node.group = target;
    made_.graph.groups[static_cast<size_t>(target)].devices = devices;
  }

  const Graph& graph_;
  const PrunedStep& step_;
  StepCostGraph& made_;
  std::unordered_map<std::string, size_t> numbers_;  // of devices
  std::unordered_map<NodeId, int> nodes_;            // their numbers
};

}  // namespace

bool is_copied_constant(const Node& node) {
  return node.op->name() == "Const" && node.device.empty() && node.control_inputs.empty();
}

StepCostGraph make_cost_graph(
    const Graph& graph, const PrunedStep& step, const std::vector<Candidate>& candidates,
    const DeviceName& master, const StepCosts& costs) {
  return CostGraphMaker(graph, step, costs).make(candidates, master);
}

Status place_by_cost(
    Placement& placement, const Graph& graph, const PrunedStep& step,
    const std::vector<Candidate>& candidates, const StepCosts& costs) {
  auto made = make_cost_graph(graph, step, candidates, placement.view().master, costs);
  auto groups = placement.groups(candidates);
  if (auto status = GroupMerger(graph, step, made).run(groups); !status.ok()) return status;
  auto devices = schedule_by_cost(made.graph);
  std::unordered_map<NodeId, DeviceName> chosen;
  for (size_t i = 0; i < made.ids.size(); ++i)
    if (made.ids[i] >= 0)
      chosen.emplace(
          made.ids[i], made.devices[static_cast<size_t>(
                           devices[static_cast<size_t>(made.graph.nodes[i].group)])]);
  for (const auto& group : groups)
    if (!group.is_pinned && !group.possible.empty())
      for (auto id : group.nodes)
        if (auto found = chosen.find(id); found != chosen.end()) {
          placement.choose(id, found->second);
          break;
        }
  return {};
}

}  // namespace troupe
