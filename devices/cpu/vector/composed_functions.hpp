#pragma once

#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu::vector {

/// The part of function_loop() that has the functions from log1p on.
UnaryLoop composed_function_loop(Function function, DType dtype, bool streams);

}  // namespace troupe::cpu::vector
