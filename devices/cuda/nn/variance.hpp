#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Of variances the reciprocals of deviations, 1 / sqrt(variance + epsilon), or the other way
/// round; of float32 or float64.
struct VarianceCall {
  void* out;
  const void* from;
  bool to_variance;
  Element element;
  double epsilon;
  int64_t count;
  cudaStream_t stream;
};
void launch_variance(const VarianceCall& call);

}  // namespace troupe::cuda
