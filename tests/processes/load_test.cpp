#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <thread>

#include "troupe/tests/processes/support/training_cluster.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

/// 5 s by default.
std::chrono::duration<double> load_time() {
  const char* minutes = std::getenv("TROUPE_LOAD_MINUTES");
  return std::chrono::duration<double>(minutes ? 60 * std::atof(minutes) : 5);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(load)

BOOST_AUTO_TEST_CASE(a_busy_machine_is_not_taken_for_a_dead_one) {
  TrainingCluster cluster({});
  std::vector<std::unique_ptr<Process>> busy;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i)
    busy.push_back(std::make_unique<Process>(Process::Options{
        .program = "/bin/sh", .arguments = {"-c", "while :; do :; done"}, .environment = {}}));
  auto end = Trainer::Clock::now() + load_time();
  while (Trainer::Clock::now() < end) cluster.check_trains(100);
  for (auto& trainer : cluster.trainers())
    for (const auto& failure : trainer->take_failures()) BOOST_ERROR(failure.status.to_string());
}

BOOST_AUTO_TEST_SUITE_END()
