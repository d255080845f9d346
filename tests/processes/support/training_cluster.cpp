#include "troupe/tests/processes/support/training_cluster.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "troupe/graph/cluster/device_name.hpp"

namespace troupe::testing {

TrainingCluster::TrainingCluster(const Options& options)
    : nodes_({{"ps", 1}, {"worker", 2}}, options.flags) {
  BOOST_TEST_MESSAGE("seed " << seed_);
  auto train = [&](int master, int compute, std::chrono::milliseconds step_timeout) {
    trainers_.push_back(std::make_unique<Trainer>(Trainer::Options{
        .target = nodes_.target("worker", master),
        .master = task_name("worker", master),
        .compute = task_name("worker", compute),
        .heartbeat_limit = options.heartbeat_limit,
        .step_timeout = step_timeout}));
  };
  train(0, 0, {});
  train(1, 0, {});
  train(1, 1, {});
  train(1, 0, options.step_timeout);
  check_trains();
}

TrainingCluster::Clock::time_point TrainingCluster::send_at_random(
    const std::string& job, int task, int signal) {
  check_trains(random(1, 50));
  std::this_thread::sleep_for(std::chrono::microseconds(random(0, 5000)));
  auto time = Clock::now();
  nodes_.node(job, task).send(signal);
  return time;
}

void TrainingCluster::check_trains(int steps, const std::function<bool(const Trainer&)>& selected) {
  for (auto& trainer : trainers_)
    if (selected(*trainer))
      BOOST_TEST_REQUIRE(
          trainer->await_steps(steps), trainer->options().master
                                           << " with " << trainer->options().compute
                                           << " does not train; seed " << seed_);
}

}  // namespace troupe::testing
