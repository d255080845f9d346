#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/train/host.hpp"
#include "troupe/graph/train/saver.hpp"
#include "troupe/graph/train/session_hook.hpp"

namespace troupe::train {

/// The number of steps that all workers have done, as their shared variable counts them (int64).
Result<int64_t> read_global_step(BasicSession& session, const Ref& global_step);

/// How often a hook acts, after a first time at once. Exactly one field must be set.
struct Period {
  std::optional<int64_t> steps;
  std::optional<std::chrono::milliseconds> time;
};

/// Tells at which steps a periodic action is due.
class Timer {
 public:
  Timer(Host& host, Period period) : host_(host), period_(period) {}

  bool is_due(int64_t step) const;
  /// Records that the action was done at that step.
  void record(int64_t step);
  std::optional<int64_t> last_step() const { return last_step_; }
  std::optional<Host::Time> last_time() const { return last_time_; }

 private:
  Host& host_;
  const Period period_;
  std::optional<int64_t> last_step_;
  std::optional<Host::Time> last_time_;
};

/// Stops after the step at which the global step is `last_step`, or after so many further ones.
struct StopAtStep {
  std::optional<int64_t> last_step;
  std::optional<int64_t> num_steps;
};
std::unique_ptr<SessionHook> stop_at_step(const Ref& global_step, StopAtStep options);

struct CheckpointSaverOptions {
  std::shared_ptr<Saver> saver;
  std::string prefix;  // "folder/model"
  Ref global_step;
  Period period{.time = std::chrono::minutes(10)};
  /// Called with the name of each checkpoint that has been saved; its error is that of the step.
  std::function<Status(const std::string& path)> saved = {};
};
/// Saves when a session begins, every period, and at the end.
std::unique_ptr<SessionHook> checkpoint_saver(Host& host, CheckpointSaverOptions options);

/// Logs how many global steps are done in a second.
std::unique_ptr<SessionHook> step_counter(
    Host& host, const Ref& global_step, Period period = {.steps = 100});

/// Fails with InvalidArgument, or stops without an error, once the float scalar `loss` is NaN.
std::unique_ptr<SessionHook> nan_guard(Host& host, const Ref& loss, bool fail = true);

/// Logs values, by name. Steps are counted from the hook's first.
std::unique_ptr<SessionHook> value_logger(
    Host& host, const std::vector<Ref>& values, Period period = {.steps = 100});

}  // namespace troupe::train
