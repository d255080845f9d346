#include "troupe/actors/sim/check.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <stdexcept>

using namespace troupe;
using namespace std::chrono_literals;
using sim::Fault;

BOOST_AUTO_TEST_SUITE(check)

namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker = "/job:worker/task:0";

/// Ten steps over both tasks, under a script of six faults of which only the freeze violates the
/// invariant of the tests below.
sim::Scenario make_scenario(const std::function<bool(const sim::Cluster&)>& invariant) {
  sim::Scenario scenario;
  scenario.make = [](sim::Seed seed) {
    return std::make_unique<sim::Cluster>(
        std::map<std::string, int>{{"ps", 1}, {"worker", 2}}, seed);
  };
  scenario.faults = [](const ClusterSpec&, sim::Seed) -> std::vector<Fault> {
    return {
        {.kind = Fault::Kind::slow, .time = 1ms, .tasks = worker, .number = 3},
        {.kind = Fault::Kind::cut, .time = 2ms, .tasks = worker, .others = {ps, worker}},
        {.kind = Fault::Kind::heal, .time = 3ms, .tasks = worker, .others = {ps, worker}},
        {.kind = Fault::Kind::freeze, .time = 4'567us, .tasks = ps},
        {.kind = Fault::Kind::thaw, .time = 6ms, .tasks = ps},
        {.kind = Fault::Kind::slow, .time = 7ms, .tasks = worker, .number = 1}};
  };
  scenario.drive = [invariant](sim::Cluster& cluster, sim::Seed) {
    cluster.always("the planted bug", [&cluster, invariant] { return invariant(cluster); });
    auto session = cluster.session(worker);
    auto there = session.graph().on(ps).neg(session.graph().constant(1.0f));
    for (int i = 0; i < 10 && !cluster.violation(); ++i) {
      (void)session.run({}, {there});
      cluster.run_for(1ms);
    }
  };
  return scenario;
}

bool always_true(const sim::Cluster&) { return true; }
bool ps_is_never_frozen(const sim::Cluster& cluster) { return cluster.is_running(ps); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_without_a_violation_gives_no_counterexample) {
  BOOST_TEST(!sim::check(make_scenario(always_true), {1}).has_value());
}

BOOST_AUTO_TEST_CASE(a_planted_bug_is_found_and_shrunk_to_the_fault_that_causes_it_and_its_end) {
  auto counterexample = sim::check(make_scenario(ps_is_never_frozen), {1});
  BOOST_REQUIRE(counterexample.has_value());
  BOOST_TEST(counterexample->violation.name == "the planted bug");
  BOOST_TEST(counterexample->violation.text == "it is not true");
  BOOST_TEST_REQUIRE(counterexample->faults.size() == 2U);
  auto text = counterexample->to_string();
  BOOST_TEST(text.starts_with("seed 1: the planted bug is violated after "), text);
  BOOST_TEST(text.find("|<-----StartStep------|") != std::string::npos, text);
  BOOST_TEST(
      text.ends_with("These faults are needed:\n"
                     "  cluster.at(4'000us).freeze(\"/job:ps/task:0\");\n"
                     "  cluster.at(6'000us).thaw(\"/job:ps/task:0\");\n"),
      text);
}

BOOST_AUTO_TEST_CASE(another_error_or_the_same_one_elsewhere_is_another_failure) {
  // Without the first fault it fails with Aborted, without the second one in another place.
  auto scenario = make_scenario(always_true);
  scenario.faults = [](const ClusterSpec&, sim::Seed) -> std::vector<Fault> {
    return {
        {.kind = Fault::Kind::slow, .time = 1ms, .tasks = worker, .number = 3},
        {.kind = Fault::Kind::slow, .time = 1ms, .tasks = ps, .number = 3}};
  };
  scenario.drive = [](sim::Cluster& cluster, sim::Seed) {
    cluster.run_for(2ms);
    auto has = [&](const std::string& task) {
      return std::ranges::any_of(
          cluster.faults(), [&](const Fault& fault) { return fault.tasks.names[0] == task; });
    };
    auto error = has(worker) ? unavailable("planted") : aborted("planted");
    auto place = has(ps) ? ps : worker;
    cluster.violate("steps succeed", error.at({.node = {}, .op = {}, .device = {}, .task = place}));
  };
  auto counterexample = sim::check(scenario, {1});
  BOOST_REQUIRE(counterexample.has_value());
  BOOST_TEST(counterexample->faults.size() == 2U);
  BOOST_TEST((counterexample->violation.code == Code::unavailable));
}

BOOST_AUTO_TEST_CASE(of_many_seeds_the_first_that_fails_is_reported_on_however_many_threads) {
  auto scenario = make_scenario(always_true);
  scenario.drive = [](sim::Cluster& cluster, sim::Seed seed) {
    if (seed.value == 14 || seed.value == 9) cluster.violate("luck", "has left");
  };
  for (int threads : {1, 2}) {
    auto found = sim::check_seeds(scenario, {.first = 3, .count = 20, .threads = threads});
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->seed.value == 9U);
    BOOST_TEST(!sim::check_seeds(scenario, {.first = 15, .count = 20, .threads = threads}));
  }
}

BOOST_AUTO_TEST_CASE(a_bug_that_needs_no_faults_is_shown_without_any) {
  auto never_far = [](const sim::Cluster& cluster) { return cluster.messages_delivered() < 20; };
  auto counterexample = sim::check(make_scenario(never_far), {1});
  BOOST_REQUIRE(counterexample.has_value());
  BOOST_TEST(counterexample->faults.empty());
  BOOST_TEST(
      counterexample->to_string().ends_with("No faults are needed.\n"),
      counterexample->to_string());
}

BOOST_AUTO_TEST_CASE(an_exception_of_the_scenario_is_a_violation) {
  auto scenario = make_scenario(always_true);
  scenario.drive = [](sim::Cluster&, sim::Seed) { throw std::runtime_error("out of luck"); };
  auto outcome = sim::run_once(scenario, {1});
  BOOST_REQUIRE(outcome.violation.has_value());
  BOOST_TEST(outcome.violation->text == "out of luck");
}

BOOST_AUTO_TEST_CASE(a_seed_and_a_script_give_one_history) {
  auto scenario = make_scenario(always_true);
  auto once = sim::run_once(scenario, {5});
  BOOST_TEST(once.faults.size() == 6U);
  BOOST_TEST(once.messages > 0U);
  BOOST_TEST(once.trace_hash == sim::run_once(scenario, {5}).trace_hash);
  BOOST_TEST(once.trace_hash != sim::run_once(scenario, {6}).trace_hash);
  BOOST_TEST(once.trace_hash != sim::run_once(scenario, {5}, {}).trace_hash);
}

BOOST_AUTO_TEST_SUITE_END()
