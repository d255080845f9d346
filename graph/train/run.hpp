#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/graph/train/hooks.hpp"
#include "troupe/graph/train/monitored_session.hpp"
#include "troupe/graph/train/task.hpp"

namespace troupe::train {

/// What all tasks of a training build alike, so that they share its variables.
struct TrainedModel {
  Builder builder;
  Variable global_step;  // on a parameter server, where there are some
};

struct TrainingOptions {
  /// Where the chief saves checkpoints, and finds the latest when it starts or when variables are
  /// lost. Empty: variables that are lost are initialized again.
  std::string checkpoint_dir;
  Period save_period{.time = std::chrono::minutes(10)};
  /// The training ends at this global step; 0: when the step function says so.
  int64_t last_step = 0;
  /// The chief initializes all variables when it starts. Otherwise those that have values keep
  /// them, of an earlier program, too, which the log tells.
  bool starts_anew = false;
  RetryOptions retry;
  /// Makes further hooks for this task, once the graph is complete.
  std::function<std::vector<std::shared_ptr<SessionHook>>(const TrainedModel& model, Host& host)>
      hooks;
};

using BuildModel = std::function<TrainedModel(const Role& role)>;
/// Runs one step. OutOfRange, the end of this task's data, ends its part without an error.
using TrainStep = std::function<Status(MonitoredSession& session, const TrainedModel& model)>;

/// A whole training in one call, the same in the programs of all tasks: a parameter server serves,
/// the others run steps until the training ends. What waits or recovers says so in the log. A
/// worker that has finished stays, and its server with it, until the chief has seen that all have
/// finished: the chief then saves a last checkpoint and stops them all. A task that was killed is
/// started again with the same arguments, and goes on. A task whose server another process stops in
/// order ends without an error. Cancelled: the task itself was told to stop before the end.
Status run(
    Task& task, const BuildModel& model, const TrainStep& step,
    const TrainingOptions& options = {});

}  // namespace troupe::train
