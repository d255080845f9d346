#include "troupe/apps/swarm/workload/random_graph.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "troupe/apps/swarm/oracle/value_oracle.hpp"

using namespace troupe;

namespace {

const auto catalogs = sim::Catalogs::make();

/// The graph of a seed.
Builder draw(uint64_t seed, bool pinned) {
  Builder b(catalogs.ops);
  auto plan = swarm::draw_plan({seed}, catalogs);
  swarm::draw_graph(b, plan, sim::Random({seed}, "graph"), pinned);
  BOOST_TEST_REQUIRE(b.status().ok(), "seed " << seed << ": " << b.status().to_string());
  return b;
}

std::string text_of(const Graph& graph, bool with_devices) {
  std::string text;
  for (const auto& node : graph.nodes())
    text += node.name + " " + node.op->name() + (with_devices ? " " + node.device : "") + "\n";
  return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(random_graph)

BOOST_AUTO_TEST_CASE(it_is_valid_and_the_same_with_and_without_device_constraints) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    auto pinned = draw(seed, true), free = draw(seed, false);
    BOOST_TEST(text_of(pinned.graph(), false) == text_of(free.graph(), false));
    BOOST_TEST(text_of(pinned.graph(), true) != text_of(free.graph(), true));
  }
}

BOOST_AUTO_TEST_CASE(every_rule_is_drawn) {
  std::set<std::string> missing;
  for (const auto& rule : swarm::all_op_rules()) missing.insert(rule.name);
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    auto builder = draw(seed, false);
    for (const auto& node : builder.graph().nodes()) missing.erase(node.op->name());
  }
  BOOST_TEST(missing.empty(), *missing.begin() << " is never drawn");
}

BOOST_AUTO_TEST_CASE(a_single_task_computes_it_twice_to_the_same_bits) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    auto plan = swarm::draw_plan({seed}, catalogs);
    sim::Cluster single_task({{"local", 1}}, {seed}, {.catalogs = catalogs});
    sim::Random random({seed}, "graph");
    auto once = swarm::expected_results(single_task, plan, random);
    auto again = swarm::expected_results(single_task, plan, random);
    BOOST_TEST_REQUIRE(once.size() == again.size());
    for (size_t i = 0; i < once.size(); ++i)
      for (size_t j = 0; j < once[i].size(); ++j)
        BOOST_TEST(swarm::same_bits(once[i][j], again[i][j]), "seed " << seed);
  }
}

BOOST_AUTO_TEST_SUITE_END()
