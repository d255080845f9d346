#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/nn/pool_geometry.hpp"

namespace troupe::cuda {

enum class PoolPass : uint8_t {
  max,
  max_gradient,
  max_gradient_gradient,
  average,
  average_gradient
};

/// `x`: of the passes that look at the input; `dy`: of gradients. That of a gradient's gradient
/// lies as the input, and its result as the output.
struct PoolCall {
  void* result;
  const void* x;
  const void* dy;
  PoolPass pass;
  PoolGeometry pool;
  cudaStream_t stream;
};
using LaunchPool = void (*)(const PoolCall& call);
/// Null where there is none: averages are of floating elements.
LaunchPool find_pool(Element element, PoolPass pass);

}  // namespace troupe::cuda
