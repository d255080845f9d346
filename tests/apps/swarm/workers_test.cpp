#include "troupe/apps/swarm/workers.hpp"

#include <unistd.h>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdio>

using namespace troupe::swarm;
using namespace std::chrono_literals;

namespace {

/// What becomes of the seeds 1 to 20 on two workers.
Tally work(const Worker::Work& each) {
  Assignment assignment{.first_seed = 1, .seeds = 20, .workers = 2, .patience = 5s};
  return work_on_seeds(
      assignment, [each] { return each; }, [](const Tally&) {});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(workers)

BOOST_AUTO_TEST_CASE(every_seed_is_worked_on_once) {
  auto tally = work([](uint64_t seed) { return "seed " + std::to_string(seed); });
  BOOST_TEST(tally.done == 20U);
  BOOST_TEST_REQUIRE(tally.failed.size() == 20U);
  for (uint64_t i = 0; i < 20; ++i) {
    BOOST_TEST(tally.failed[i].seed == i + 1);
    BOOST_TEST(tally.failed[i].text == "seed " + std::to_string(i + 1));
  }
}

BOOST_AUTO_TEST_CASE(a_worker_that_crashes_fails_its_seed_with_its_last_words) {
  auto tally = work([](uint64_t seed) -> std::string {
    if (seed != 7) return "";
    std::fputs("something is rotten\n", stderr);
    std::fflush(stderr);
    kill(getpid(), SIGKILL);
    return "";
  });
  BOOST_TEST(tally.done == 20U);
  BOOST_TEST_REQUIRE(tally.failed.size() == 1U);
  BOOST_TEST(
      tally.failed[0].text == "seed 7: the process ended with SIGKILL\nsomething is rotten\n");
}

BOOST_AUTO_TEST_CASE(a_worker_that_hangs_fails_its_seed_and_the_others_go_on) {
  auto tally = work([](uint64_t seed) -> std::string {
    while (seed == 3) pause();
    return "";
  });
  BOOST_TEST(tally.done == 20U);
  BOOST_TEST_REQUIRE(tally.failed.size() == 1U);
  BOOST_TEST(tally.failed[0].text.starts_with("seed 3: no answer for 5 s"), tally.failed[0].text);
}

BOOST_AUTO_TEST_CASE(no_seed_is_begun_after_the_time) {
  Assignment assignment{.first_seed = 5, .time = 0s, .workers = 1};
  auto tally = work_on_seeds(
      assignment, [] { return [](uint64_t) { return std::string(); }; }, [](const Tally&) {});
  BOOST_TEST(tally.done == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
