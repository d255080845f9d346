#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

// What is computed of a few neighbours along the last axis.

/// Cross products of vectors of 3 elements.
struct CrossCall {
  void* out;
  const void* x;
  const void* y;
  int64_t vectors;
  cudaStream_t stream;
};
using LaunchCross = void (*)(const CrossCall& call);
/// Null where there is none.
LaunchCross find_cross(Element element);

/// A byte for 8 elements: a bit for each that is greater than the threshold, which lies on the
/// card.
struct BitpackCall {
  uint8_t* out;
  const void* from;
  const void* threshold;
  int64_t bytes;
  cudaStream_t stream;
};
using LaunchBitpack = void (*)(const BitpackCall& call);
/// Null where there is none.
LaunchBitpack find_bitpack(Element element);

}  // namespace troupe::cuda
