#pragma once

#include <functional>
#include <string>

#include "troupe/capnp/server/server.hpp"
#include "troupe/graph/cluster/tf_config.hpp"
#include "troupe/graph/train/run.hpp"

namespace troupe::train {

/// The process of a task that trains.
struct ProcessOptions {
  ServerOptions server;
  /// Takes each line of the log; by default they go to the error output.
  std::function<void(const std::string&)> log;
};

/// A whole training in one call, the same in the programs of all tasks: starts the server of this
/// task, and runs its part of the training (graph/train/run.hpp). It is the same program on a
/// simulated cluster, with a sim::Program in place of the configuration.
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
    const TrainingOptions& options = {}, const ProcessOptions& process = {});

}  // namespace troupe::train
