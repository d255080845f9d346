#pragma once

#include <algorithm>
#include <random>

#include "troupe/graph/place/cost_graph.hpp"

namespace troupe::testing {

/// A seeded graph on four devices: chains or wide layers, cheap links or dear ones, and some nodes
/// that are pinned.
inline CostGraph random_cost_graph(uint64_t seed, int size) {
  using Time = CostGraph::Time;
  std::mt19937_64 random(seed);
  auto draw = [&](int lo, int hi) {
    return lo + static_cast<int>(random() % uint64_t(hi - lo + 1));
  };
  constexpr int devices = 4;
  const bool is_chain = draw(0, 1) == 1;
  const int bytes_max = std::vector{100'000, 1'000'000, 4'000'000}[seed % 3];
  CostGraph graph{.device_count = devices, .nodes = {}, .groups = {}, .links = {}};
  for (int i = 0; i < size; ++i) {
    CostGraph::Node node{.group = i, .times = {}, .inputs = {}};
    node.times.assign(devices, Time(draw(10, 1000) * 1000));
    auto inputs = i == 0 ? 0 : draw(is_chain ? 1 : 0, std::min(i, 3));
    for (int j = 0; j < inputs; ++j)
      node.inputs.push_back(
          {draw(is_chain ? std::max(0, i - 12) : 0, i - 1), 0, uint64_t(draw(1000, bytes_max))});
    graph.nodes.push_back(std::move(node));
    if (draw(0, 9) == 0) graph.groups.push_back({{draw(0, devices - 1)}});
    else graph.groups.push_back({{0, 1, 2, 3}});
  }
  for (int i = 0; i < devices * devices; ++i)
    graph.links.push_back({Time(draw(5, 60) * 1000), 1e8 * draw(5, 20)});
  return graph;
}

inline CostGraph::Time predicted(const CostGraph& graph, const GroupDevices& devices) {
  return simulate(graph, upward_ranks(graph), devices).end;
}

/// The shortest step of all choices of devices.
inline CostGraph::Time exhaustive_best(const CostGraph& graph) {
  auto ranks = upward_ranks(graph);
  auto best = CostGraph::Time::max();
  std::vector<size_t> choice(graph.groups.size(), 0);
  for (size_t digit = 0; digit < choice.size();) {
    GroupDevices devices;
    for (size_t i = 0; i < choice.size(); ++i)
      devices.push_back(graph.groups[i].devices[choice[i]]);
    best = std::min(best, simulate(graph, ranks, devices).end);
    for (digit = 0; digit < choice.size(); ++digit) {
      if (++choice[digit] < graph.groups[digit].devices.size()) break;
      choice[digit] = 0;
    }
  }
  return best;
}

/// The shortest of a thousand random choices.
inline CostGraph::Time random_best(const CostGraph& graph, uint64_t seed, int draws = 1000) {
  std::mt19937_64 random(seed);
  auto ranks = upward_ranks(graph);
  auto best = CostGraph::Time::max();
  for (int i = 0; i < draws; ++i) {
    GroupDevices devices;
    for (const auto& group : graph.groups)
      devices.push_back(group.devices[random() % group.devices.size()]);
    best = std::min(best, simulate(graph, ranks, devices).end);
  }
  return best;
}

}  // namespace troupe::testing
