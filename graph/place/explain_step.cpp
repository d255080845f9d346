#include "troupe/graph/place/explain_step.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

using Time = CostGraph::Time;

/// The most bytes that are in use at once, of those that come and go at times.
class MemoryUse {
 public:
  void add(Time begin, Time end, uint64_t bytes) {
    changes_.emplace_back(begin, static_cast<int64_t>(bytes));
    changes_.emplace_back(end, -static_cast<int64_t>(bytes));
  }
  uint64_t peak() {
    std::ranges::sort(changes_);  // what goes at a time goes before what comes
    int64_t now = 0, most = 0;
    for (const auto& [at, change] : changes_) most = std::max(most, now += change);
    return static_cast<uint64_t>(most);
  }

 private:
  std::vector<std::pair<Time, int64_t>> changes_;
};

class StepExplainer {
 public:
  StepExplainer(
      const Placement& placement, const Graph& graph, const PrunedStep& step,
      const std::vector<Candidate>& candidates, const std::map<NodeId, DeviceName>& devices,
      const StepCosts& costs)
      : placement_(placement),
        graph_(graph),
        step_(step),
        candidates_(candidates),
        placed_(devices),
        costs_(costs),
        made_(make_cost_graph(graph, step, candidates, placement.view().master, costs)) {
    for (size_t i = 0; i < made_.devices.size(); ++i)
      numbers_[made_.devices[i].to_string()] = static_cast<int>(i);
    for (size_t i = 0; i < made_.ids.size(); ++i)
      devices_.push_back(made_.ids[i] < 0 ? 0 : numbers_.at(device_of(made_.ids[i])));
    schedule_ = simulate(made_.graph, upward_ranks(made_.graph), devices_);
  }

  StepExplanation run() {
    explanation_.predicted = schedule_.end;
    for (size_t i = 0; i < made_.devices.size(); ++i) partitions_.emplace_back();
    explain_nodes();
    explain_transfers();
    for (size_t i = 0; i < partitions_.size(); ++i) {
      auto& partition = partitions_[i];
      partition.device = made_.devices[i].to_string();
      partition.predicted_peak = memory_[static_cast<int>(i)].peak();
      partition.measured_peak = costs_.memory_peak(partition.device);
      if (partition.nodes > 0) explanation_.devices.push_back(std::move(partition));
    }
    std::ranges::sort(explanation_.devices, {}, &ExplainedDevice::device);
    return std::move(explanation_);
  }

 private:
  std::string device_of(NodeId id) const { return placed_.at(id).to_string(); }

  void explain_nodes() {
    std::unordered_map<NodeId, const PlacementGroup*> group_of;
    auto groups = placement_.groups(candidates_);
    for (const auto& group : groups)
      for (auto id : group.nodes) group_of[id] = &group;
    std::unordered_map<NodeId, size_t> number_of;
    for (size_t i = 0; i < made_.ids.size(); ++i) number_of[made_.ids[i]] = i;
    auto home_of_constants = homes_of_constants();
    for (auto id : step_.nodes) {
      const auto& node = graph_.node(id);
      auto device = device_of(id);
      if (is_copied_constant(node))
        if (auto home = home_of_constants.find(id); home != home_of_constants.end())
          device = home->second;
      ExplainedNode explained{
          .node = node.name,
          .op = node.op->name(),
          .device = device,
          .inputs = inputs_of(node),
          .why = {},
          .alternatives = {}};
      explained.why = why(node, *group_of.at(id), placed_.at(id));
      for (const auto& other : alternatives(node, *group_of.at(id)))
        if (other != explained.device) explained.alternatives.push_back(other);
      add_costs(explained, node, number_of);
      auto& partition = partitions_[static_cast<size_t>(numbers_.at(device))];
      ++partition.nodes;
      partition.predicted += explained.predicted;
      partition.measured += explained.measured;
      explanation_.nodes.push_back(std::move(explained));
    }
  }

  std::vector<std::string> inputs_of(const Node& node) const {
    std::vector<std::string> inputs;
    for (auto input : node.inputs) inputs.push_back(graph_.name_of(input));
    for (auto input : node.control_inputs)
      if (std::ranges::binary_search(step_.nodes, input))
        inputs.push_back("^" + graph_.node(input).name);
    return inputs;
  }

  /// The device of the first user of each constant that is copied.
  std::unordered_map<NodeId, std::string> homes_of_constants() const {
    std::unordered_map<NodeId, std::string> homes;
    for (auto id : step_.nodes)
      for (auto input : graph_.node(id).inputs)
        if (is_copied_constant(graph_.node(input.node))) homes.emplace(input.node, device_of(id));
    return homes;
  }

  void add_costs(
      ExplainedNode& explained, const Node& node,
      const std::unordered_map<NodeId, size_t>& number_of) const {
    for (int i = 0; i < static_cast<int>(node.output_dtypes.size()); ++i)
      explained.bytes += costs_.bytes_of(graph_, {node.id, i});
    auto number = number_of.find(node.id);
    if (number == number_of.end()) return;  // a copied constant
    const auto& run = schedule_.runs[number->second];
    explained.begin = run.begin;
    explained.predicted = run.end - run.begin;
    auto type = placed_.at(node.id).type.value_or("CPU");
    if (const auto* measured = costs_.measured(node.name, type)) {
      explained.measured = measured->time;
      explained.measured_steps = measured->steps;
    }
  }

  /// The devices that the node could be on if the graph said nothing else about it, or was placed
  /// otherwise.
  std::vector<std::string> alternatives(const Node& node, const PlacementGroup& group) const {
    std::vector<std::string> found;
    bool is_free = group.origin == PlacementGroup::Origin::cost ||
                   group.origin == PlacementGroup::Origin::nothing;
    for (const auto& candidate : candidates_) {
      auto fits =
          is_free
              ? std::ranges::all_of(
                    group.nodes,
                    [&](NodeId id) { return candidate.ops.contains(graph_.node(id).op->name()); })
              : candidate.name.satisfies(group.constraint) &&
                    candidate.ops.contains(node.op->name());
      if (fits) found.push_back(candidate.name.to_string());
    }
    return found;
  }

  std::string why(const Node& node, const PlacementGroup& group, const DeviceName& device) const {
    if (is_copied_constant(node)) return "a constant, which is copied to where it is used";
    using Origin = PlacementGroup::Origin;
    auto source = group.source >= 0 ? graph_.node(group.source).name : "";
    auto shares = source == node.name ? "" : "it shares the device of '" + source + "', and ";
    switch (group.origin) {
      case Origin::cost:
        return "nothing asks for a device; the predicted step is short with it here";
      case Origin::resource:
        return "'" + resource_of(graph_.node(group.source)).value_or(ResourceName{}).name +
               "' is here, or will be";
      case Origin::constraint:
        if (device.satisfies(group.constraint))
          return shares + (shares.empty() ? "it" : "that") + " asks for " +
                 group.constraint.to_string();
        return "no device " + group.constraint.to_string() +
               " has a kernel for it, or there is none; the session places softly";
      case Origin::nothing: break;
    }
    return "nothing asks for a device, so it is with the session's master";
  }

  /// What goes between devices, each output once to each, and what is in memory meanwhile.
  void explain_transfers() {
    struct Use {
      Time begin{0};  // when the value is on the device
      Time end{0};    // when its last user there has ended
      uint64_t bytes = 0;
    };
    std::map<std::tuple<int, int, int>, Use> uses;  // by node, output and device
    for (size_t i = 0; i < made_.graph.nodes.size(); ++i) {
      auto to = devices_[i];
      for (const auto& input : made_.graph.nodes[i].inputs) {
        auto from = devices_[static_cast<size_t>(input.node)];
        auto [began, sent, waited_for] = schedule_.runs[static_cast<size_t>(input.node)];
        auto& source = uses[{input.node, input.output, from}];
        source.begin = began;  // a kernel has its inputs and its outputs at once
        source.bytes = input.bytes;
        source.end = std::max(source.end, sent);
        auto& use = uses[{input.node, input.output, to}];
        use.end = std::max(use.end, schedule_.runs[i].end);
        if (from == to || use.bytes > 0 || use.begin > Time(0)) continue;
        use.bytes = input.bytes;
        auto time = made_.graph.link(from, to).time_of(input.bytes);
        use.begin = sent + time;
        source.end = std::max(source.end, use.begin);
        add_transfer(input, from, to, time, i + 1 == made_.ids.size());
      }
    }
    for (const auto& [key, use] : uses)
      memory_[std::get<2>(key)].add(use.begin, std::max(use.begin, use.end), use.bytes);
  }

  void add_transfer(const CostGraph::Input& input, int from, int to, Time time, bool is_fetch) {
    auto id = made_.ids[static_cast<size_t>(input.node)];
    std::string tensor;
    if (id < 0) tensor = graph_.name_of(step_.feeds[static_cast<size_t>(input.output)]);
    else if (input.output < 0) tensor = "^" + graph_.node(id).name;
    else tensor = graph_.name_of({id, input.output});
    auto name = [this](int device) { return made_.devices[static_cast<size_t>(device)]; };
    explanation_.transfers.push_back(
        {.tensor = tensor,
         .from = id < 0 ? "client" : name(from).to_string(),
         .to = is_fetch ? "client" : name(to).to_string(),
         .bytes = input.bytes,
         .predicted = time,
         .is_link_measured = costs_.is_measured(name(from), name(to))});
  }

  const Placement& placement_;
  const Graph& graph_;
  const PrunedStep& step_;
  const std::vector<Candidate>& candidates_;
  const std::map<NodeId, DeviceName>& placed_;
  const StepCosts& costs_;
  StepCostGraph made_;
  std::map<std::string, int> numbers_;  // of devices
  GroupDevices devices_;                // by number of node, as each is a group of its own
  Schedule schedule_;
  std::vector<ExplainedDevice> partitions_;  // by number of device
  std::map<int, MemoryUse> memory_;
  StepExplanation explanation_;
};

}  // namespace

StepExplanation explain_step(
    const Placement& placement, const Graph& graph, const PrunedStep& step,
    const std::vector<Candidate>& candidates, const std::map<NodeId, DeviceName>& devices,
    const StepCosts& costs) {
  return StepExplainer(placement, graph, step, candidates, devices, costs).run();
}

}  // namespace troupe
