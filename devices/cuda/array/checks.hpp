#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// What numbers there are among others.
enum NumberKinds : int32_t { has_nan = 1, has_infinity = 2 };

/// Adds the kinds of those that are not finite to `kinds`.
using LaunchFindNotFinite =
    void (*)(int32_t* kinds, const void* x, int64_t count, cudaStream_t stream);

/// Null where there is none.
LaunchFindNotFinite find_not_finite(Element element);

}  // namespace troupe::cuda
