#pragma once

#include <caf/all.hpp>

#include "troupe/actors/device_actor.hpp"

namespace troupe {

/// A step's part on this device has ended. Sent by the device's own threads.
struct StepEnded {
  StepId step;
  Status status;
};

/// What a device actor also hears from itself.
using DeviceMailbox = DeviceActor::extend<caf::reacts_to<StepEnded>>;

}  // namespace troupe

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::StepEnded)
