#pragma once

#include <array>
#include <cstdint>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// By how many places each axis moves forward: from 0 to less than its size.
using RollShifts = std::array<int64_t, Shape::max_rank>;

/// Those that the inputs shift and axis of Roll say for a tensor of that shape.
Result<RollShifts> roll_shifts(const Shape& shape, const Tensor& shifts, const Tensor& axes);

}  // namespace troupe::cpu
