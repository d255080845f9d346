#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Adds to bins of integers, which are zeros before: 1 for each number in [0, bins), or the integer
/// that stands for it in `weights`.
struct BincountCall {
  void* sums;
  bool is_long;         // sums and weights are int64, not int32
  const void* weights;  // or null
  const int32_t* numbers;
  int64_t count, bins;
  cudaStream_t stream;
};
void launch_bincount(const BincountCall& call);

/// Sets each bin to the sum of the floating weights of the numbers that are equal to its place. The
/// numbers are in descending order, and `places` says which weight is that of each. Their sums
/// follow that order.
struct WeightSumsCall {
  void* sums;
  const void* weights;
  const int32_t* numbers;
  const int32_t* places;
  int64_t count, bins;
  cudaStream_t stream;
};
/// `element`: float32 or float64.
void launch_weight_sums(const WeightSumsCall& call, Element element);

/// Counts values in `bins` bins of equal width from the lowest end on; those beyond an end count as
/// that end, and NaN not at all. The counts are zeros before.
struct HistogramCall {
  void* counts;
  bool is_long;  // counts are int64, not int32
  const void* values;
  int64_t count;
  uint64_t low, high;  // bits of the ends
  double width;
  int64_t bins;
  cudaStream_t stream;
};
/// `element`: int32, int64, float32 or float64.
void launch_histogram(const HistogramCall& call, Element element);

}  // namespace troupe::cuda
