#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/capnp/server/server.hpp"
#include "troupe/graph/cluster/tf_config.hpp"
#include "troupe/graph/train/hooks.hpp"
#include "troupe/graph/train/monitored_session.hpp"

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
  ServerOptions server;
  /// Makes further hooks for this task, once the graph is complete.
  std::function<std::vector<std::shared_ptr<SessionHook>>(const TrainedModel& model, Host& host)>
      hooks;
  /// Takes each line of the log; by default they go to the error output.
  std::function<void(const std::string&)> log;
};

using BuildModel = std::function<TrainedModel(const Role& role)>;
/// Runs one step. OutOfRange, the end of this task's data, ends its part without an error.
using TrainStep = std::function<Status(MonitoredSession& session, const TrainedModel& model)>;

/// A whole training in one call, the same in the programs of all tasks: starts this task's server;
/// a parameter server serves, the others run steps until the training ends. What waits or recovers
/// says so in the log. A worker that has finished stays, and its server with it, until the chief
/// has seen that all have finished: the chief then saves a last checkpoint and stops them all. A
/// task that was killed is started again with the same arguments, and goes on.
///
///     auto config = TfConfig::read(process_environment());
///     auto status = train::run(*config, make_model, [](auto& session, const auto& model) {
///       return session.run(next_batch(), {}, {model.step}).status();
///     }, {.checkpoint_dir = "checkpoints", .last_step = 1000});
///
/// SIGINT and SIGTERM end this task in order: Cancelled. Call it before other threads are started.
/// InvalidArgument: the configuration gives no role in a training. Without a cluster in it, the
/// process trains alone.
Status run(
    const TfConfig& config, const BuildModel& model, const TrainStep& step,
    const TrainingOptions& options = {});

}  // namespace troupe::train
