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
#include "troupe/tests/patience.hpp"

namespace troupe::testing {

/// A client that trains on a thread of its own for as long as it lives, with the variables on
/// /job:ps/task:0. After an error it does as a program would that must go on: it makes a new
/// client where its node is lost, and gives the variables their values where they have none.
class Trainer {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    std::string target;
    std::string master;   // the task there
    std::string compute;  // the task that does the arithmetic
    std::chrono::milliseconds heartbeat_limit{2000};
    std::chrono::milliseconds step_timeout{0};
  };
  struct Step {
    Clock::time_point begin;
    Clock::time_point end;
    Status status;
  };

  explicit Trainer(Options options);
  /// Waits for the step that runs.
  ~Trainer();

  const Options& options() const { return options_; }
  bool uses(const std::string& task) const;

  /// Waits until so many further steps have succeeded; false where they do not come.
  bool await_steps(int count);
  /// Waits for a step that failed and had not ended by then; nothing where none comes.
  std::optional<Step> await_failure(Clock::time_point since);
  /// The steps that failed since the last call.
  std::vector<Step> take_failures();

 private:
  struct Model;

  void work();
  void train(const Model& model, Client& client);
  Status run(Session& session, const Value& target);
  void note(Step step);

  const Options options_;
  std::atomic<bool> is_over_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  int steps_ = 0;  // that succeeded
  std::vector<Step> failures_;
  std::thread thread_;
};

}  // namespace troupe::testing
