#pragma once

// As math/numbers.hpp, this is compiled where the program runs, too.
#ifndef __CUDACC_RTC__
#include <cuda_runtime_api.h>
#endif

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

constexpr int warp_lanes = 32;

/// How many threads work on a row of so many elements, and how many rows a block has.
inline dim3 lanes_for(int64_t elements) {
  return elements > 1024 ? dim3(256, 1) : dim3(warp_lanes, 8);
}

}  // namespace troupe::cuda
