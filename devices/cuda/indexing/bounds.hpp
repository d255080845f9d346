#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Where values would be put into rows of sorted elements: `count` of them for each row of `size`;
/// before those that are equal, or behind them.
struct BoundsCall {
  void* out;
  bool is_long;  // places are int64
  const void* sorted;
  const void* values;
  int64_t rows, size, count;
  bool is_lower;
  cudaStream_t stream;
};
using LaunchBounds = void (*)(const BoundsCall& call);

/// Null where there is none.
LaunchBounds find_bounds(Element element);

}  // namespace troupe::cuda
