#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/messages.hpp"
#include "troupe/devices/plan.hpp"

namespace troupe {

/// Asks for the resources that a partition uses on a device; those that do not exist are created.
struct Bind {
  std::string device;
  std::vector<ResourceUse> uses;
};
using Bindings = Plan::Bindings;

/// Drops all resources of the container. The actor goes on.
struct ResetContainer {};

/// Asks for the container's resources. `now` is the time of the node's clock, from which the idle
/// times are counted.
struct ListContainer {
  std::chrono::nanoseconds now;
};

/// The part of one container that is on one task: resources by name. They live until the container
/// is reset.
using ContainerActor = caf::typed_actor<
    // InvalidArgument: a resource is not what the graph declares it as.
    caf::replies_to<Bind>::with<Status, Bindings>, caf::reacts_to<ResetContainer>,
    caf::replies_to<ListContainer>::with<TaskResources>>;

ContainerActor spawn_container(caf::actor_system& system, std::string name);

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Bind)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Bindings)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ResetContainer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListContainer)
