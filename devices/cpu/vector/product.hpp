#pragma once

#include <cstdint>

namespace troupe::cpu::vector {

/// Matrices of doubles: `out` and `a` by columns, so many elements apart, and `b` of any strides.
struct ProductOfDoubles {
  int64_t rows = 0, inner = 0, columns = 0;
  const double *a = nullptr, *b = nullptr;
  double* out = nullptr;
  int64_t a_stride = 0, b_row_stride = 0, b_column_stride = 0, out_stride = 0;
};

/// out -= a * b, each element in an order that depends on the inner size alone.
using SubtractProduct = void (*)(const ProductOfDoubles&);
SubtractProduct subtract_product_loop();

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
