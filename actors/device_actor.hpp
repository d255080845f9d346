#pragma once

#include <memory>

#include <caf/all.hpp>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/messages.hpp"
#include "troupe/actors/task_actor.hpp"
#include "troupe/devices/device.hpp"

namespace troupe {

/// The mailbox of one Device: compiles partitions into plans, runs steps of them, and exchanges
/// their tensors with other device actors. Never blocks: a step goes on in the background.
///
/// DV-1: each StartStep is answered by just one StepDone, whatever happens; a second one of the
/// same
///       step by none.
/// DV-2: a message of a step that has ended, or of a session that has none here, changes nothing;
///       it is counted.
using DeviceActor = caf::typed_actor<
    caf::replies_to<Register>::with<Status>,  // waits for those that it talks to
    caf::reacts_to<StartStep>,                // answered by StepDone to who registered the session
    caf::reacts_to<CancelStep>, caf::reacts_to<DropPlan>, caf::reacts_to<EndSession>,
    caf::reacts_to<Deliver>, caf::replies_to<ExplainStep>::with<StepWaits>,
    caf::reacts_to<PeerLost>>;

/// What a session actor is for its devices.
using StepReports = caf::typed_actor<caf::reacts_to<StepDone>, caf::reacts_to<StepTraced>>;

struct DeviceSettings {
  std::shared_ptr<Device> device;
  std::shared_ptr<const OpCatalog> catalog;
  std::string name;  // "/job:ps/task:0/device:CPU:0"
  std::string task_name;
  std::chrono::milliseconds connect_timeout;
  std::shared_ptr<World> world;
  std::shared_ptr<Gauges> gauges;
};

/// `task` is the actor of the task that the device belongs to.
DeviceActor spawn_device(caf::actor_system& system, TaskActor task, DeviceSettings settings);

}  // namespace troupe
