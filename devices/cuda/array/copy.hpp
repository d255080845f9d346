#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/index/strided_walk.hpp"

namespace troupe::cuda {

/// Copies elements that a walk leads over: offsets in the result, then in the source, in elements
/// of `size` bytes: 1, 2, 4, 8 or 16. No element of the result is named twice.
struct CopyCall {
  void* to;
  const void* from;
  int size;
  StridedWalk<2> walk;
  cudaStream_t stream;
};
void launch_copy(const CopyCall& call);

/// The same copy by greater elements, where all offsets are even: neighbours are then read and
/// written at once.
CopyCall by_greater_elements(CopyCall call);

/// Sets `count` elements of `size` bytes to the bits of one.
void launch_fill(void* to, uint64_t bits, int size, int64_t count, cudaStream_t stream);

}  // namespace troupe::cuda
