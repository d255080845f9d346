#pragma once

#include <chrono>
#include <functional>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/world/endpoint.hpp"

namespace troupe {

/// What an RpcServer serves: the task of this process.
struct Service {
  caf::actor_system& system;
  MasterActor master;
  /// Stops the server: drains it, calls `drained`, and ends everything else within `time`. Returns
  /// at once.
  std::function<void(std::chrono::milliseconds time, DoneStatus drained)> stop;
  /// The answer of Login.peer(). Its host is unused: the peer knows at which host it asked.
  Endpoint identity;
};

}  // namespace troupe
