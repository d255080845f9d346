#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace troupe::cuda {

// A thread of a grid takes the items first_item(), first_item() + item_step() and so on.
__device__ inline int64_t first_item() { return blockIdx.x * int64_t{blockDim.x} + threadIdx.x; }
__device__ inline int64_t item_step() { return gridDim.x * int64_t{blockDim.x}; }

/// Puts kernel(arguments...) on the stream, for so many blocks of so many threads. An error of the
/// start is what launched() returns then.
template <class... Parameters, class... Arguments>
void start_kernel(
    cudaStream_t stream, dim3 blocks, dim3 threads, void (*kernel)(Parameters...),
    const Arguments&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.stream = stream;
  cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace troupe::cuda
