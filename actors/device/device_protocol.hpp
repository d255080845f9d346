#pragma once

#include <caf/all.hpp>

#include "troupe/actors/device/device_actor.hpp"
#include "troupe/actors/post.hpp"
#include "troupe/devices/resources/end_hooks.hpp"

namespace troupe {

/// The execution of a step on this device has ended. Sent by the threads of the device.
struct StepEnded {
  StepId step;
  Status status;
  bool plan_is_stale = false;
  EndHooks hooks = {};  // of an execution that has ended well
};

/// All that a device actor handles: the messages of sessions, devices and its task (DeviceActor),
/// and these, which it sends to itself.
using DeviceProtocol = DeviceActor::extend<caf::reacts_to<StepEnded>, caf::reacts_to<Post>>;

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StepEnded)
