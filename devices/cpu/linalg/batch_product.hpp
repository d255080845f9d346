#pragma once

#include <cstdint>
#include <type_traits>

#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Products of matrices of one size: [rows, inner] by [inner, columns], each operand stored so or,
/// transposed, the other way round. `batches` walks over the matrices; its offsets, in elements,
/// are where the two operands of a product begin.
struct BatchProduct {
  int64_t rows, inner, columns;
  bool transpose_a = false, transpose_b = false;
  LoopNest<2> batches = {};

  double flops_each() const { return 2.0 * double(rows) * double(inner) * double(columns); }
};

/// Writes all products to `out`, one after the other. Operands and result have one dtype.
using MultiplyBatches = Status (*)(
    const Launch& launch, const BatchProduct& product, const Tensor& a, const Tensor& b,
    Tensor& out);

/// The function for a dtype's elements; null where they are not numeric.
MultiplyBatches multiply_batches(DType dtype);

/// Estimated nanoseconds of that many operations on floats.
inline int64_t product_cost_ns(double flops) {
  constexpr double flops_per_ns = 50;
  return static_cast<int64_t>(flops / flops_per_ns);
}

/// An integer without sign, of the same size: sums that wrap around have the same bits.
template <class T>
auto wrapping(T value) {
  if constexpr (is_number<T>) return static_cast<std::make_unsigned_t<T>>(value);
  else return value;
}

}  // namespace troupe::cpu
