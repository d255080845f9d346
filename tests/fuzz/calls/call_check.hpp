#pragma once

#include "troupe/devices/device.hpp"
#include "troupe/tests/fuzz/calls/random_call.hpp"

namespace troupe::fuzz {

/// Runs the call as a step of its own, with inputs that only the kernel sees and with constants,
/// and then its gradient. What is wrong with the answers, empty if nothing is:
/// - an error has a code that bad inputs can have, and words, and leaves variables as they are;
/// - outputs have the dtypes and shapes that were inferred, and no element that nobody set;
/// - constants are refused only where the kernel fails, too;
/// - a derivative has the shape of what it is with respect to;
/// - memory is that of the device, within its limit, and is freed.
std::string fault_of(const Call& call, std::shared_ptr<const OpCatalog> catalog, Device& device);

}  // namespace troupe::fuzz
