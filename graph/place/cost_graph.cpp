#include "troupe/graph/place/cost_graph.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace troupe {
namespace {

using Time = CostGraph::Time;

/// The mean over all pairs of different devices.
CostGraph::Link mean_link(const CostGraph& graph) {
  Time latency{0};
  double seconds_per_byte = 0;
  int pairs = 0;
  for (int from = 0; from < graph.device_count; ++from)
    for (int to = 0; to < graph.device_count; ++to) {
      if (from == to) continue;
      latency += graph.link(from, to).latency;
      seconds_per_byte += 1 / graph.link(from, to).bytes_per_second;
      ++pairs;
    }
  if (pairs == 0) return {.latency = Time(0), .bytes_per_second = 1e18};
  return {.latency = latency / pairs, .bytes_per_second = pairs / seconds_per_byte};
}

/// Runs a CostGraph in virtual time.
class ScheduleSimulation {
 public:
  ScheduleSimulation(
      const CostGraph& graph, const std::vector<Time>& ranks, const GroupDevices& devices)
      : graph_(graph), ranks_(ranks), devices_(devices) {}

  Schedule run() {
    find_users();
    auto count = static_cast<size_t>(graph_.device_count);
    ready_.resize(count);
    free_at_.assign(count, Time(0));
    last_.assign(count, -1);
    schedule_.runs.resize(graph_.nodes.size());
    for (int node = 0; node < size(); ++node)
      if (missing_[index(node)] == 0) events_.emplace(Time(0), node, true);
    while (!events_.empty()) {
      auto now = std::get<0>(events_.top());
      // All that happens at one time comes before a device chooses.
      for (; !events_.empty() && std::get<0>(events_.top()) == now; events_.pop()) {
        auto [at, node, is_ready] = events_.top();
        if (is_ready) ready_[index(device_of(node))].emplace(ranks_[index(node)], -node);
        touched_.push_back(device_of(node));
      }
      for (auto device : std::exchange(touched_, {})) start_next(device, now);
    }
    return std::move(schedule_);
  }

 private:
  static size_t index(int i) { return static_cast<size_t>(i); }
  int size() const { return static_cast<int>(graph_.nodes.size()); }
  int device_of(int node) const { return devices_[index(graph_.nodes[index(node)].group)]; }

  void find_users() {
    missing_.assign(graph_.nodes.size(), 0);
    arrived_.assign(graph_.nodes.size(), Time(0));
    first_user_.assign(graph_.nodes.size() + 1, 0);
    for (const auto& node : graph_.nodes)
      for (const auto& input : node.inputs) ++first_user_[index(input.node) + 1];
    for (size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
    users_.resize(first_user_.back());
    auto next = first_user_;
    for (int node = 0; node < size(); ++node)
      for (const auto& input : graph_.nodes[index(node)].inputs) {
        users_[next[index(input.node)]++] = {node, &input};
        ++missing_[index(node)];
      }
  }

  void start_next(int device, Time now) {
    auto& ready = ready_[index(device)];
    if (ready.empty() || free_at_[index(device)] > now) return;
    auto node = -ready.top().second;
    ready.pop();
    auto& run = schedule_.runs[index(node)];
    run.begin = now;
    run.end = now + graph_.nodes[index(node)].times[index(device)];
    // It waited for the device where that was busy until now, else for its last input.
    if (arrived_[index(node)] < now) run.waited_for = last_[index(device)];
    last_[index(device)] = node;
    free_at_[index(device)] = run.end;
    schedule_.end = std::max(schedule_.end, run.end);
    events_.emplace(run.end, node, false);
    for (auto i = first_user_[index(node)]; i < first_user_[index(node) + 1]; ++i)
      deliver(node, users_[i].first, *users_[i].second, run.end);
  }

  void deliver(int from, int to, const CostGraph::Input& input, Time end) {
    auto source = device_of(from), target = device_of(to);
    auto at = source == target ? end : end + graph_.link(source, target).time_of(input.bytes);
    auto& arrived = arrived_[index(to)];
    if (at >= arrived) {
      arrived = at;
      schedule_.runs[index(to)].waited_for = from;
    }
    if (--missing_[index(to)] == 0) events_.emplace(arrived, to, true);
  }

  using Event = std::tuple<Time, int, bool>;  // when, which node, that it is ready or has ended

  const CostGraph& graph_;
  const std::vector<Time>& ranks_;
  const GroupDevices& devices_;
  Schedule schedule_;
  std::vector<size_t> first_user_;  // by node, into users_
  std::vector<std::pair<int, const CostGraph::Input*>> users_;
  std::vector<int> missing_;   // by node: inputs that have not begun their way
  std::vector<Time> arrived_;  // by node: when the last of its inputs is there
  std::vector<std::priority_queue<std::pair<Time, int>>> ready_;  // by device
  std::vector<Time> free_at_;
  std::vector<int> last_;     // by device: the node that it computed last
  std::vector<int> touched_;  // devices that may start a node now
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

std::vector<int> Schedule::critical_path() const {
  std::vector<int> path;
  for (size_t i = 0; i < runs.size(); ++i)
    if (runs[i].end == end) {
      path.push_back(static_cast<int>(i));
      break;
    }
  while (!path.empty() && runs[static_cast<size_t>(path.back())].waited_for >= 0)
    path.push_back(runs[static_cast<size_t>(path.back())].waited_for);
  return path;
}

std::vector<Time> upward_ranks(const CostGraph& graph) {
  auto link = mean_link(graph);
  std::vector<Time> ranks(graph.nodes.size(), Time(0));
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const auto& node = graph.nodes[i];
    const auto& devices = graph.groups[static_cast<size_t>(node.group)].devices;
    Time sum{0};
    for (auto device : devices) sum += node.times[static_cast<size_t>(device)];
    ranks[i] += sum / static_cast<int64_t>(devices.size());
    for (const auto& input : node.inputs) {
      auto source = static_cast<size_t>(input.node);
      auto stays = graph.nodes[source].group == node.group;
      ranks[source] =
          std::max(ranks[source], ranks[i] + (stays ? Time(0) : link.time_of(input.bytes)));
    }
  }
  return ranks;
}

Schedule simulate(
    const CostGraph& graph, const std::vector<Time>& ranks, const GroupDevices& devices) {
  return ScheduleSimulation(graph, ranks, devices).run();
}

}  // namespace troupe
