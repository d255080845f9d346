#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The shape of CompareAndBitpack's result, a byte for 8 neighbours of its checked input.
Result<Shape> bitpacked_shape(const Launch& launch);

}  // namespace troupe::cpu
