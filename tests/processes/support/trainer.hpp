#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "troupe/capnp/client/client.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

/// A client that trains on a thread of its own until it is destroyed, with the variables on
/// /job:ps/task:0. It recovers from errors: it connects again when its node is lost, and
/// initializes the variables when they have no value.
class Trainer {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::string target;
    std::string master;   // the task at the target
    std::string compute;  // the task that computes the gradients
    std::chrono::milliseconds heartbeat_limit{2000};
    std::chrono::milliseconds step_timeout{0};
  };
  struct Step {
    Clock::time_point begin;
    Clock::time_point end;
    Status status;
  };

  explicit Trainer(Options options);
  /// Waits for the running step.
  ~Trainer();

  const Options& options() const { return options_; }
  bool uses(const std::string& task) const;

  /// Waits until that many further steps have succeeded; false if they do not in time.
  bool await_steps(int count);
  /// Waits for a failed step that ended after `since`; empty if none does in time.
  std::optional<Step> await_failure(Clock::time_point since);
  /// The steps that failed since the last call.
  std::vector<Step> take_failures();

 private:
  struct Model;

  void work();
  void train(const Model& model, Client& client);
  Status run(Session& session, const Value& target);
  void record(Step step);

  const Options options_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  int steps_ = 0;  // that succeeded
  std::vector<Step> failures_;
  std::thread thread_;
};

}  // namespace troupe::testing
