#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "troupe/actors/calls.hpp"
#include "troupe/capnp/server/server.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/task_config.hpp"

namespace troupe {

/// One life of a server, from its start to its stop: all that lives then, and only then. Destroying
/// it ends all connections, actors and kernels, and waits for that.
class ServerLife {
 public:
  /// What a client that stops the server calls.
  using StopCall = std::function<void(std::chrono::milliseconds time, DoneStatus drained)>;

  /// Serves the task once it returns. Unavailable, naming the address, where the port is in use,
  /// or the cluster that it is to join cannot be asked.
  static Result<std::unique_ptr<ServerLife>> start(
      const TaskConfig& config, const ServerOptions& options, StopCall stop);

  virtual ~ServerLife() = default;

  /// What it is: its port is the one that it really has.
  virtual const TaskConfig& config() const = 0;
  /// As the message to the task.
  virtual void drain(Drain call) = 0;
  /// As the message to the task.
  virtual void leave_cluster(DoneStatus done) = 0;
};

}  // namespace troupe
