#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/messages.hpp"
#include "troupe/devices/plan.hpp"

namespace troupe {

/// The resources that a partition uses on a device, to be found or made.
struct Bind {
  std::string device;
  std::vector<ResourceUse> uses;
};
using Bindings = Plan::Bindings;

/// Empties the container; the actor goes on.
struct ResetContainer {};

/// Asks what the container holds; `now` is the time on its node's clock.
struct ListContainer {
  std::chrono::nanoseconds now;
};

/// One container's shard on one task: variables by name. They live until it is reset.
using ContainerActor = caf::typed_actor<
    // Fails with InvalidArgument where a resource exists with another dtype or shape.
    caf::replies_to<Bind>::with<Status, Bindings>, caf::reacts_to<ResetContainer>,
    caf::replies_to<ListContainer>::with<Things>>;

ContainerActor spawn_container(caf::actor_system& system, std::string name);

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Bind)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Bindings)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ResetContainer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListContainer)
