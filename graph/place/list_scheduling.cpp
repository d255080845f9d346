#include "troupe/graph/place/list_scheduling.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

namespace troupe {
namespace {

using Time = CostGraph::Time;

/// That the simulations of one graph may visit together: some tenths of a second.
constexpr size_t visits_max = 1'000'000;
/// Of a small graph.
constexpr size_t simulations_max = 6'000;
/// Groups that are moved at random when no single move helps any more.
constexpr size_t kicked_groups = 4;

class ListScheduler {
 public:
  explicit ListScheduler(const CostGraph& graph)
      : graph_(graph),
        ranks_(upward_ranks(graph)),
        simulations_left_(std::min(simulations_max, visits_max / (graph.nodes.size() + 1) + 8)) {}

  GroupDevices run() {
    if (graph_.nodes.empty()) return fallback(0);
    take(heft());
    for (int device = 0; device < graph_.device_count; ++device) take(fallback(device));
    auto best = climb();
    auto end = schedule_.end;
    // What no single move makes better may still be far from the best: start again near it.
    while (simulations_left_ > 0 && has_choice()) {
      kick(best);
      auto next = climb();
      if (schedule_.end >= end) continue;
      end = schedule_.end;
      best = std::move(next);
    }
    return best;
  }

 private:
  static size_t index(int i) { return static_cast<size_t>(i); }

  const std::vector<int>& devices_of(int group) const {
    return graph_.groups[index(group)].devices;
  }

  bool has_choice() const {
    return std::ranges::any_of(
        graph_.groups, [](const auto& group) { return group.devices.size() > 1; });
  }

  /// Goes on from the devices until no move helps.
  GroupDevices climb() {
    while (simulations_left_ > 0 && improve()) {
    }
    return devices_;
  }

  /// Begins near those devices, with some groups elsewhere.
  void kick(GroupDevices devices) {
    for (size_t i = 0; i < kicked_groups; ++i) {
      auto group = random_() % devices.size();
      const auto& choice = graph_.groups[group].devices;
      devices[group] = choice[random_() % choice.size()];
    }
    devices_.clear();
    take(std::move(devices));
  }

  /// All groups on that device, but for those that may not be there.
  GroupDevices fallback(int device) const {
    GroupDevices devices;
    for (const auto& group : graph_.groups)
      devices.push_back(
          std::ranges::binary_search(group.devices, device) ? device : group.devices.front());
    return devices;
  }

  GroupDevices heft() const {
    std::vector<int> order(graph_.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, [this](int a, int b) { return ranks_[index(a)] > ranks_[index(b)]; });
    GroupDevices devices(graph_.groups.size(), -1);
    std::vector<Time> ends(graph_.nodes.size()), free_at(index(graph_.device_count));
    for (auto id : order) {
      const auto& node = graph_.nodes[index(id)];
      auto& chosen = devices[index(node.group)];
      auto end_on = [&](int device) {
        auto begin = free_at[index(device)];
        for (const auto& input : node.inputs) {
          auto source = devices[index(graph_.nodes[index(input.node)].group)];
          auto at = ends[index(input.node)];
          if (source >= 0 && source != device)
            at += graph_.link(source, device).time_of(input.bytes);
          begin = std::max(begin, at);
        }
        return begin + node.times[index(device)];
      };
      if (chosen < 0) chosen = *std::ranges::min_element(devices_of(node.group), {}, end_on);
      ends[index(id)] = end_on(chosen);
      free_at[index(chosen)] = ends[index(id)];
    }
    for (size_t i = 0; i < devices.size(); ++i)  // groups without nodes
      if (devices[i] < 0) devices[i] = graph_.groups[i].devices.front();
    return devices;
  }

  /// Goes on with those devices if they are better.
  bool take(GroupDevices devices) {
    if (devices == devices_) return false;
    if (simulations_left_ == 0 && !devices_.empty()) return false;
    simulations_left_ -= std::min<size_t>(simulations_left_, 1);
    auto schedule = simulate(graph_, ranks_, devices);
    if (!devices_.empty() && schedule.end >= schedule_.end) return false;
    devices_ = std::move(devices);
    schedule_ = std::move(schedule);
    return true;
  }

  /// Tries to move what is on the critical path; false where nothing helps.
  bool improve() {
    std::vector<int> groups;  // with a choice, in the order of the path
    std::set<int> seen;
    for (auto node : schedule_.critical_path()) {
      auto group = graph_.nodes[index(node)].group;
      if (devices_of(group).size() > 1 && seen.insert(group).second) groups.push_back(group);
    }
    for (int device = 0; device < graph_.device_count; ++device)
      if (move(groups, device)) return true;
    for (size_t length = groups.size() / 2; length >= 1; length /= 2)
      for (size_t begin = 0; begin < groups.size(); begin += length) {
        auto end = std::min(groups.size(), begin + length);
        std::vector<int> part(
            groups.begin() + static_cast<long>(begin), groups.begin() + static_cast<long>(end));
        for (int device = 0; device < graph_.device_count; ++device)
          if (move(part, device)) return true;
      }
    return evict(groups) || swap(groups);
  }

  /// Moves those groups to the device, as far as they may be there.
  bool move(const std::vector<int>& groups, int device) {
    auto devices = devices_;
    for (auto group : groups)
      if (std::ranges::binary_search(devices_of(group), device)) devices[index(group)] = device;
    return take(std::move(devices));
  }

  /// Moves other groups away from the devices of the path, which may be what it waits for.
  bool evict(const std::vector<int>& path) {
    std::set<int> busy;
    for (auto group : path) busy.insert(devices_[index(group)]);
    for (int group = 0; group < static_cast<int>(devices_.size()); ++group) {
      if (simulations_left_ == 0) return false;
      if (devices_of(group).size() < 2 || !busy.contains(devices_[index(group)])) continue;
      for (auto device : devices_of(group))
        if (move({group}, device)) return true;
    }
    return false;
  }

  /// Exchanges a group of the path with one of another device.
  bool swap(const std::vector<int>& path) {
    for (auto a : path)
      for (int b = 0; b < static_cast<int>(devices_.size()); ++b) {
        if (simulations_left_ == 0) return false;
        auto of_a = devices_[index(a)], of_b = devices_[index(b)];
        if (of_a == of_b || !std::ranges::binary_search(devices_of(a), of_b) ||
            !std::ranges::binary_search(devices_of(b), of_a))
          continue;
        auto devices = devices_;
        std::swap(devices[index(a)], devices[index(b)]);
        if (take(std::move(devices))) return true;
      }
    return false;
  }

  const CostGraph& graph_;
  const std::vector<Time> ranks_;
  size_t simulations_left_;
  std::mt19937_64 random_{1};  // always the same choices for the same graph
  GroupDevices devices_;       // from which the search goes on
  Schedule schedule_;          // of those
};

}  // namespace

GroupDevices schedule_by_cost(const CostGraph& graph) { return ListScheduler(graph).run(); }

}  // namespace troupe
