#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/nn/pool_geometry.hpp"

namespace troupe::cuda {

enum class PoolPass : uint8_t { max, max_gradient, average, average_gradient };

/// `x`: of the passes that look at the input; `dy`: of gradients.
struct PoolCall {
  void* result;
  const void* x;
  const void* dy;
  PoolPass pass;
  PoolGeometry pool;
  cudaStream_t stream;
};
using LaunchPool = void (*)(const PoolCall& call);
/// For floating elements; else null.
LaunchPool find_pool(Element element);

}  // namespace troupe::cuda
