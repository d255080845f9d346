#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "troupe/actors/client_messages.hpp"
#include "troupe/capnp/server/server.hpp"
#include "troupe/graph/cluster/task_config.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// All that exists from one start of a server to its stop: the actor system, the task's actors, the
/// devices and the RPC server. The destructor ends all connections, actors and kernels and waits
/// for them.
class ServerIncarnation {
 public:
  /// Called when a client stops the server; calls `drained` once the steps have ended.
  using StopCall = std::function<void(std::chrono::milliseconds time, DoneStatus drained)>;

  /// Starts to serve the task, and returns when it does. Unavailable, naming the address, where the
  /// port is in use or the cluster to join is unreachable.
  static Result<std::unique_ptr<ServerIncarnation>> start(
      const TaskConfig& config, const ServerOptions& options, StopCall stop);

  virtual ~ServerIncarnation() = default;

  /// The task, with the port that is really bound.
  virtual const TaskConfig& config() const = 0;
  // These send the task the message of that name.
  virtual void drain(Drain call) = 0;
  virtual void leave_cluster(DoneStatus done) = 0;
};

}  // namespace troupe
