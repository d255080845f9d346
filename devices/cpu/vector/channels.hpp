#pragma once

#include <cstdint>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu::vector {

/// Rows of an element for each channel, which lie one after the other.
struct ChannelRows {
  int64_t rows, channels;
};

/// What batch normalization does with rows of channels. Sums are made as doubles, in the order of
/// the rows, and are added to those that are there.
struct ChannelLoops {
  /// squares[c] += (x - means[c])^2, differences[c] += x - means[c]
  void (*sum_squares)(
      double* squares, double* differences, const void* x, const double* means,
      ChannelRows size) = nullptr;
  /// products[c] += dy * (x - means[c]), sums[c] += dy
  void (*sum_products)(
      double* products, double* sums, const void* dy, const void* x, const double* means,
      ChannelRows size) = nullptr;
  /// y = (x - means[c]) * factors[c] + offsets[c]; y may be x.
  void (*normalize)(
      void* y, const void* x, const void* means, const void* factors, const void* offsets,
      ChannelRows size) = nullptr;
  /// dx = scales[c] * dy + factors[c] * (x - means[c]) + offsets[c]; dx may be dy or x.
  void (*combine)(
      void* dx, const void* dy, const void* x, const void* scales, const void* factors,
      const void* means, const void* offsets, ChannelRows size) = nullptr;
};
/// For float32 and float64, else null.
ChannelLoops channel_loops(DType dtype);

}  // namespace troupe::cpu::vector
