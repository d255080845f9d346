#include "troupe/actors/sim/program/program_scenario.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/builder.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using Kind = sim::Fault::Kind;

BOOST_AUTO_TEST_SUITE(program_scenario)

namespace {

const std::string ps = "/job:ps/task:0";

/// Computes something on the parameter server ten times, in a session of its own.
Status run_steps(sim::Program& here) {
  Builder b;
  auto there = b.on(ps).neg(b.constant(1.0f));
  auto opened = here.session();
  if (!opened) return opened.status();
  auto session = *std::move(opened);
  if (auto status = session->extend(b); !status.ok()) return status;
  for (int i = 0; i < 10; ++i) {
    if (auto ran = session->run({}, {there}); !ran) return ran.status();
    here.wait(5ms);
  }
  return {};
}

/// The worker runs steps, and if it `retries`, those that failed with a lost task again.
Status run_program(sim::Program& here, bool retries) {
  if (here.role().is_ps) return here.wait(1h) ? internal("the server was not stopped") : Status();
  auto status = run_steps(here);
  while (retries && status.code() == Code::unavailable && here.wait(20ms)) status = run_steps(here);
  if (!status.ok()) return status;
  here.wait(1s);  // until the faults have ended
  return here.stop_server("ps", 0);
}

sim::Scenario scenario_of(bool retries) {
  return sim::program_scenario(
      {.jobs = {{"ps", 1}, {"worker", 1}},
       .program = [retries](sim::Program& here) { return run_program(here, retries); },
       .faults = {.end = 100ms, .kinds = {Kind::crash, Kind::freeze}}});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_that_retries_what_was_lost_ends_well_whatever_fails) {
  auto found = sim::check_seeds(scenario_of(true), {.count = 100});
  BOOST_TEST(!found.has_value(), (found ? found->to_string() : ""));
}

BOOST_AUTO_TEST_CASE(a_missing_retry_is_found_and_shrunk_to_one_fault_with_its_mend) {
  auto found = sim::check_seeds(scenario_of(false), {.count = 100});
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST((found->violation.code == Code::unavailable));
  BOOST_TEST_REQUIRE(found->faults.size() == 2U, found->to_string());
  std::pair kinds(found->faults[0].kind, found->faults[1].kind);
  auto is_one_with_its_mend = kinds == std::pair(Kind::crash, Kind::restart) ||
                              kinds == std::pair(Kind::freeze, Kind::thaw);
  BOOST_TEST(is_one_with_its_mend, found->to_string());
}

BOOST_AUTO_TEST_SUITE_END()
