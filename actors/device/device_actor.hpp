#pragma once

#include <memory>

#include <caf/all.hpp>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/actors/task/task_actor.hpp"
#include "troupe/devices/device.hpp"

namespace troupe {

/// The actor of one Device: compiles partitions into plans, runs steps of them, and exchanges their
/// tensors with other device actors. Never blocks: kernels run on the threads of the device.
///
/// DV-1: each StartStep is answered by exactly one StepDone; a second StartStep of the same step is
///       ignored.
/// DV-2: a message of a step that has ended, or of a session that is unknown here, has no effect;
///       it is counted in Metrics::late_messages.
/// DV-3: what the kernels of a step have taken out of queues, readers and iterators is put back
///       once, unless CommitStep came, a node of the step failed, or there was no memory to hold
///       it.
/// DV-4: resources that were created for a plan are withdrawn if it is dropped before a step of it
///       has run.
using DeviceActor = caf::typed_actor<
    // When the plan is compiled, the device is connected to all tasks of the partition's edges, and
    // containers hold the resources that the plan creates.
    caf::replies_to<Register>::with<Status, Registered>,
    caf::reacts_to<StartStep>,  // StepDone is sent to the sender of Register
    caf::reacts_to<CommitStep>, caf::reacts_to<CancelStep>, caf::reacts_to<DropPlan>,
    caf::reacts_to<EndSession>, caf::reacts_to<Deliver>, caf::reacts_to<DiscardStep>,
    caf::replies_to<ListStepWaits>::with<StepWaits>, caf::reacts_to<PeerLost>>;

/// A session actor as devices see it.
using StepListener = caf::typed_actor<caf::reacts_to<StepDone>, caf::reacts_to<StepTraced>>;

struct DeviceSettings {
  std::shared_ptr<Device> device;
  std::shared_ptr<const OpCatalog> catalog;
  std::string name;  // "/job:ps/task:0/device:CPU:0"
  std::string task_name;
  std::chrono::milliseconds connect_timeout;
  std::shared_ptr<World> world;
  std::shared_ptr<Metrics> metrics;
};

/// `task` is the task actor of the device.
DeviceActor spawn_device(caf::actor_system& system, TaskActor task, DeviceSettings settings);

}  // namespace troupe
