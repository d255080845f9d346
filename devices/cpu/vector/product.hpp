#pragma once

#include <cstdint>

namespace troupe::cpu::vector {

/// out[i] is the sum of all factors[k * factor_stride] * rows[k * row_stride + i], modulo 2^32.
struct RowProduct {
  int64_t inner = 0, columns = 0;
  const uint32_t *factors = nullptr, *rows = nullptr;
  int64_t factor_stride = 0, row_stride = 0;
  uint32_t* out = nullptr;
};

using MultiplyRow = void (*)(const RowProduct&);
MultiplyRow multiply_row_loop();

}  // namespace troupe::cpu::vector
