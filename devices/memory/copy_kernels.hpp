#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe {

// Of the items by which a plan brings an output to other memory: input 0 becomes output 0.

/// From the host's memory to the device's.
Kernel make_copy_in();
/// From the device's memory to the host's.
Kernel make_copy_to_host();

}  // namespace troupe
