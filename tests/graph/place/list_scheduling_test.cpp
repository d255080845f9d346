#include "troupe/graph/place/list_scheduling.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/place/random_cost_graph.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// How much longer than `best` the step is as schedule_by_cost() places it.
double excess(const CostGraph& graph, CostGraph::Time best) {
  auto found = predicted(graph, schedule_by_cost(graph));
  return static_cast<double>(found.count()) / static_cast<double>(best.count()) - 1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(list_scheduling)

BOOST_AUTO_TEST_CASE(small_graphs_are_within_15_percent_of_an_exhaustive_search) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    auto graph = random_cost_graph(seed, 6);
    auto more = excess(graph, exhaustive_best(graph));
    BOOST_TEST(more < 0.15, "seed " << seed << ": " << more);
  }
}

BOOST_AUTO_TEST_CASE(
    large_graphs_are_within_15_percent_of_the_best_of_a_thousand_random_placements) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    auto graph = random_cost_graph(seed, 400);
    auto more = excess(graph, random_best(graph, seed));
    BOOST_TEST(more < 0.15, "seed " << seed << ": " << more);
  }
}

BOOST_AUTO_TEST_CASE(what_is_pinned_stays_and_groups_stay_together) {
  auto graph = random_cost_graph(3, 40);
  for (int i = 0; i < 10; ++i) graph.nodes[static_cast<size_t>(4 * i)].group = 7;
  auto devices = schedule_by_cost(graph);
  for (size_t i = 0; i < devices.size(); ++i)
    BOOST_TEST(std::ranges::count(graph.groups[i].devices, devices[i]) == 1);
}

BOOST_AUTO_TEST_CASE(a_step_whose_links_are_dear_stays_on_one_device) {
  auto graph = random_cost_graph(5, 30);
  for (auto& group : graph.groups) group.devices = {0, 1, 2, 3};
  for (auto& link : graph.links) link.latency = std::chrono::seconds(1);
  for (size_t i = 1; i < graph.nodes.size(); ++i)
    if (graph.nodes[i].inputs.empty())
      graph.nodes[i].inputs.push_back({static_cast<int>(i) - 1, 0, 8});
  auto devices = schedule_by_cost(graph);
  BOOST_TEST(std::ranges::count(devices, devices.front()) == static_cast<long>(devices.size()));
}

BOOST_AUTO_TEST_CASE(the_same_graph_is_placed_in_the_same_way_again) {
  auto graph = random_cost_graph(11, 60);
  BOOST_TEST((schedule_by_cost(graph) == schedule_by_cost(graph)));
}

BOOST_AUTO_TEST_SUITE_END()
