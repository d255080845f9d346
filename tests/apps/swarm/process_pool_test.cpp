#include "troupe/apps/swarm/process_pool.hpp"

#include <unistd.h>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdio>

using namespace troupe::swarm;
using namespace std::chrono_literals;

namespace {

/// Runs the seeds 1 to 20 on two processes.
SeedResults run(const ChildProcess::Test& test) {
  SwarmOptions options{.first_seed = 1, .seeds = 20, .processes = 2, .seed_timeout = 5s};
  return run_seeds(
      options, [test] { return test; }, [](const SeedResults&) {});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(process_pool)

BOOST_AUTO_TEST_CASE(every_seed_is_tested_once) {
  auto results = run([](uint64_t seed) { return "seed " + std::to_string(seed); });
  BOOST_TEST(results.done == 20U);
  BOOST_TEST_REQUIRE(results.failed.size() == 20U);
  for (uint64_t i = 0; i < 20; ++i) {
    BOOST_TEST(results.failed[i].seed == i + 1);
    BOOST_TEST(results.failed[i].text == "seed " + std::to_string(i + 1));
  }
}

BOOST_AUTO_TEST_CASE(a_process_that_crashes_fails_its_seed_with_its_error_output) {
  auto results = run([](uint64_t seed) -> std::string {
    if (seed != 7) return "";
    std::fputs("something is rotten\n", stderr);
    std::fflush(stderr);
    kill(getpid(), SIGKILL);
    return "";
  });
  BOOST_TEST(results.done == 20U);
  BOOST_TEST_REQUIRE(results.failed.size() == 1U);
  BOOST_TEST(
      results.failed[0].text == "seed 7: the process ended with SIGKILL\nsomething is rotten\n");
}

BOOST_AUTO_TEST_CASE(a_process_that_hangs_fails_its_seed_and_the_others_go_on) {
  auto results = run([](uint64_t seed) -> std::string {
    while (seed == 3) pause();
    return "";
  });
  BOOST_TEST(results.done == 20U);
  BOOST_TEST_REQUIRE(results.failed.size() == 1U);
  BOOST_TEST(
      results.failed[0].text.starts_with("seed 3: no answer for 5 s"), results.failed[0].text);
}

BOOST_AUTO_TEST_CASE(no_seed_is_started_after_the_time) {
  SwarmOptions options{.first_seed = 5, .time = 0s, .processes = 1};
  auto results = run_seeds(
      options, [] { return [](uint64_t) { return std::string(); }; }, [](const SeedResults&) {});
  BOOST_TEST(results.done == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
