#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Local response normalization of rows of channels: x / (bias + alpha * sum of the squares of the
/// channels that are at most `radius` away) ^ beta. With a gradient `dy` and the result `y`, the
/// gradient with respect to x.
struct LocalResponseCall {
  void* out;
  const void* x;
  const void* dy;  // null: forward
  const void* y;
  void* norms;  // for the gradient, memory of 8 bytes for each element
  int64_t elements, channels, radius;
  float bias, alpha, beta;
  cudaStream_t stream;
};
using LaunchLocalResponse = void (*)(const LocalResponseCall& call);

/// Null where there is none.
LaunchLocalResponse find_local_response(Element element);

}  // namespace troupe::cuda
