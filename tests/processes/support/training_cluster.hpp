#pragma once

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "troupe/tests/processes/support/latency_table.hpp"
#include "troupe/tests/processes/support/nodes.hpp"
#include "troupe/tests/processes/support/trainer.hpp"

namespace troupe::testing {

/// A parameter server and two workers, on which four clients in this process train.
class TrainingCluster {
 public:
  using Clock = Trainer::Clock;

  struct Options {
    std::vector<std::string> flags;  // of each node
    std::chrono::milliseconds heartbeat_limit{2000};
    std::chrono::milliseconds step_timeout{0};  // of the fourth client
  };

  explicit TrainingCluster(const Options& options);

  NodeCluster& nodes() { return nodes_; }
  std::vector<std::unique_ptr<Trainer>>& trainers() { return trainers_; }

  /// Sends a signal to a task at a random time, while steps run.
  Clock::time_point send_at_random(const std::string& job, int task, int signal);
  /// Waits until each selected client has run that many further steps.
  void check_trains(int steps, const std::function<bool(const Trainer&)>& selected);
  void check_trains(int steps = 5) {
    check_trains(steps, [](const Trainer&) { return true; });
  }
  int random(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }

 private:
  unsigned seed_ = std::random_device{}();
  std::mt19937 random_{seed_};
  // Destroyed after the nodes, whose end ends the running steps.
  std::vector<std::unique_ptr<Trainer>> trainers_;
  NodeCluster nodes_;
};

}  // namespace troupe::testing
