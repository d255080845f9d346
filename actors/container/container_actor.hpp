#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "troupe/actors/cluster/resource_index.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/devices/plan.hpp"

namespace troupe {

/// A resource that was made for a plan, and that no container holds yet.
struct NewResource {
  ResourceName name;
  std::shared_ptr<Resource> resource;
  bool is_pinned = false;  // by the graph, to its device
};
using NewResources = std::vector<NewResource>;

/// Asks for the resources that a partition uses on a device. Those that do not exist are made, but
/// no container holds them before they are committed.
struct Bind {
  std::string device;
  std::vector<ResourceUse> uses;
};
struct Bindings {
  Plan::Bindings resources;
  NewResources created;  // to be committed once the plan is compiled, which brings them into being
  NewResources absent;   // that the plan uses, but does not bring into being: never committed
};

/// Binds resources that no container holds. (A container does it for those that it lacks.)
Result<Bindings> bind_new(const std::vector<ResourceUse>& uses);

/// Puts new resources of a device into their containers: all of them, or none.
struct Commit {
  std::string device;
  NewResources resources;
};

/// Removes resources that were committed for a plan that no step has run, unless another plan was
/// bound to them meanwhile.
struct Withdraw {
  NewResources resources;
};

/// Drops all resources of the container. The actor goes on.
struct ResetContainer {};

/// Asks for the container's resources. `now` is the time of the node's clock, from which the idle
/// times are counted.
struct ListContainer {
  std::chrono::nanoseconds now;
};

/// The part of one container that is on one task: resources by name. They live until the container
/// is reset, or are withdrawn. It is authoritative: the task's resource index and the
/// directory service are updated from it.
///
/// CO-1: a resource is in the container from its Commit on, never before.
/// CO-2: a name stands for one resource until that is dropped: a Commit does not replace it.
/// CO-3: the task's resource index has the names that the container holds, unless it is private.
using ContainerActor = caf::typed_actor<
    // InvalidArgument: a resource is not what the graph declares it as. It is on another device:
    // FailedPrecondition if the graph pins it, else Aborted, as it was made there meanwhile.
    caf::replies_to<Bind>::with<Status, Bindings>,
    // Aborted: one of the names stands for a resource meanwhile.
    caf::replies_to<Commit>::with<Status>, caf::reacts_to<Withdraw>, caf::reacts_to<ResetContainer>,
    caf::replies_to<ListContainer>::with<TaskResources>,
    caf::replies_to<ListHeldResources>::with<HeldResources>>;

ContainerActor spawn_container(
    caf::actor_system& system, std::string name, std::shared_ptr<ResourceIndex> index);

/// A graph pins a resource to a device, but it is on another one.
Status placed_elsewhere(
    const ResourceName& name, const std::string& device, const std::string& requested);
/// A resource has been placed on a device since a step that uses it on another was placed: the step
/// is to be compiled again.
Status placed_meanwhile(const ResourceName& name, const std::string& device);

/// The name of a container that only one session uses: an isolated one, or one that has resources
/// without shared names.
std::string private_container(uint64_t session, const std::string& container);
bool is_private(const std::string& container);
bool is_private_of(uint64_t session, const std::string& container);

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Bind)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Bindings)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Commit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::Withdraw)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ResetContainer)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::ListContainer)
