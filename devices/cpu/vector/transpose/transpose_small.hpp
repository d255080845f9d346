#pragma once

#include "troupe/devices/cpu/vector/vector.hpp"

namespace troupe::cpu::vector {

/// As transpose_loop(), for cells of 1 or 2 bytes, else null.
TransposeLoop small_transpose_loop(size_t cell_bytes);

}  // namespace troupe::cpu::vector
