#pragma once

#include <cstddef>

#include "troupe/actors/device/device_actor.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/devices/device.hpp"

namespace troupe {

/// Takes out of the message the tensors that are still arriving, and lets the device copy them into
/// its memory meanwhile. Each is sent to `actor`, the device's, as a message of its own when it is
/// there; one that its sender withdraws, never. A device that computes in the host's memory takes
/// none: returns how many were dropped for that.
size_t copy_arriving(Deliver& message, Device& device, const DeviceActor& actor);

}  // namespace troupe
