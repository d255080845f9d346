#pragma once

#include <caf/all.hpp>

#include "troupe/actors/device/device_actor.hpp"

namespace troupe {

/// The execution of a step on this device has ended. Sent by the threads of the device.
struct StepEnded {
  StepId step;
  Status status;
  bool plan_is_stale = false;
};

/// All that a device actor handles: the messages of sessions, devices and its task (DeviceActor),
/// and this one, which it sends to itself.
using DeviceProtocol = DeviceActor::extend<caf::reacts_to<StepEnded>>;

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StepEnded)
