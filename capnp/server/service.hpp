#pragma once

#include "troupe/actors/calls.hpp"
#include "troupe/actors/world/endpoint.hpp"

namespace troupe {

/// What a door leads to: the task of this process.
struct Service {
  caf::actor_system& system;
  MasterActor master;
  /// What peer() answers; its host does not matter, as who asks knows it.
  Endpoint identity;
};

}  // namespace troupe
