#pragma once

#include <chrono>
#include <functional>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/world/endpoint.hpp"

namespace troupe {

/// What a door leads to: the task of this process.
struct Service {
  caf::actor_system& system;
  MasterActor master;
  /// Stops the server: drains it, calls `drained`, and ends the rest within the time. Returns at
  /// once.
  std::function<void(std::chrono::milliseconds time, DoneStatus drained)> stop;
  /// What peer() answers; its host does not matter, as who asks knows it.
  Endpoint identity;
};

}  // namespace troupe
