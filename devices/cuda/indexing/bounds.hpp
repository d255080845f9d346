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

/// How many of ascending boundaries are not greater than each value: sets `out`, or adds to it. The
/// boundaries are an argument of the kernel, for which nothing has to be copied to the card.
struct BucketsCall {
  static constexpr int boundaries_max = 256;

  int32_t* out;
  bool adds;
  const void* values;
  int64_t count;
  float boundaries[boundaries_max];
  int boundary_count;
  cudaStream_t stream;
};
using LaunchBuckets = void (*)(const BucketsCall& call);
/// Null where there is none.
LaunchBuckets find_buckets(Element element);

}  // namespace troupe::cuda
