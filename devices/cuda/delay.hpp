#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

namespace troupe::cuda {

/// Lets what is put on the stream from now on wait for so long.
void launch_delay(std::chrono::microseconds time, cudaStream_t stream);

}  // namespace troupe::cuda
