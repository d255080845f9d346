#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace troupe::cuda {

/// Multiplies numbers in place.
void launch_scale(float* numbers, int64_t count, double factor, cudaStream_t stream);
void launch_scale(double* numbers, int64_t count, double factor, cudaStream_t stream);

}  // namespace troupe::cuda
