#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/index/matrices.hpp"

namespace troupe::cuda {

/// Transposes each of the matrices, of elements of `size` bytes: 1, 2, 4, 8 or 16.
void launch_transpose(
    void* to, const void* from, int size, const Matrices& matrices, cudaStream_t stream);

}  // namespace troupe::cuda
