#include "troupe/graph/place/cost_graph.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

/// Two devices, with a link of 10 us and 1 byte/ns.
struct CostGraphFixture {
  CostGraph graph{
      .device_count = 2,
      .nodes = {},
      .groups = {},
      .links = {4, {.latency = 10us, .bytes_per_second = 1e9}}};

  int add(CostGraph::Time time, std::vector<CostGraph::Input> inputs = {}) {
    auto id = static_cast<int>(graph.nodes.size());
    graph.nodes.push_back({.group = id, .times = {time, time}, .inputs = std::move(inputs)});
    graph.groups.push_back({{0, 1}});
    return id;
  }
  Schedule run(const GroupDevices& devices) {
    return simulate(graph, upward_ranks(graph), devices);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cost_graph, CostGraphFixture)

BOOST_AUTO_TEST_CASE(a_device_computes_one_node_at_a_time) {
  add(100us);
  add(50us);
  BOOST_TEST((run({0, 0}).end == 150us));
  BOOST_TEST((run({0, 1}).end == 100us));
}

BOOST_AUTO_TEST_CASE(a_tensor_takes_the_latency_of_its_link_and_its_bytes) {
  auto x = add(100us);
  add(50us, {{x, 0, 5000}});
  BOOST_TEST((run({0, 0}).end == 150us));
  BOOST_TEST((run({0, 1}).end == 165us));
}

BOOST_AUTO_TEST_CASE(a_tensor_is_sent_while_its_device_computes_something_else) {
  auto x = add(100us);
  add(90us);
  add(50us, {{x, 0, 0}});
  auto schedule = run({0, 0, 1});
  BOOST_TEST((schedule.runs[2].begin == 110us));
  BOOST_TEST((schedule.end == 190us));
}

BOOST_AUTO_TEST_CASE(of_those_that_are_ready_the_one_that_most_waits_for_runs_first) {
  add(10us);
  auto x = add(10us);
  add(100us, {{x, 0, 0}});
  auto schedule = run({0, 0, 1});
  BOOST_TEST((schedule.runs[1].begin == 0us));
  BOOST_TEST((schedule.runs[0].begin == 10us));
}

BOOST_AUTO_TEST_CASE(the_critical_path_leads_over_inputs_and_over_busy_devices) {
  auto x = add(100us);
  auto y = add(40us, {{x, 0, 0}});
  auto z = add(30us, {{x, 0, 0}});
  auto schedule = run({0, 0, 0});
  BOOST_TEST((schedule.critical_path() == std::vector{z, y, x}));
  BOOST_TEST((run({0, 0, 1}).critical_path() == std::vector{y, x}));
}

BOOST_AUTO_TEST_CASE(an_upward_rank_has_the_mean_time_of_transfers) {
  auto x = add(100us);
  add(50us, {{x, 0, 5000}});
  auto ranks = upward_ranks(graph);
  BOOST_TEST((ranks[1] == 50us));
  BOOST_TEST((ranks[0] == 165us));
}

BOOST_AUTO_TEST_SUITE_END()
