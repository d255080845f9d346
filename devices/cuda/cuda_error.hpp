#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe::cuda {

/// Ok, or the error with CUDA's name and text of it: ResourceExhausted for a lack of memory, else
/// Internal. `what` names the call or the kernel.
Status to_status(cudaError_t error, std::string_view what);

}  // namespace troupe::cuda
