#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/random/philox.hpp"

namespace troupe::cuda {

enum class RandomKind : uint8_t { uniform, normal, truncated };

/// Sets floating elements, with the bits from a position on.
struct RandomCall {
  void* out;
  Element element;
  int64_t count;
  RandomKind kind;
  PhiloxPosition start;
  cudaStream_t stream;
};
void launch_random(const RandomCall& call);

/// Sets int32 or int64 elements to whole numbers from `least` on, of so many.
struct RandomIntsCall {
  void* out;
  bool is_long;
  int64_t count;
  int64_t least;
  uint64_t range;
  PhiloxPosition start;
  cudaStream_t stream;
};
void launch_random_ints(const RandomIntsCall& call);

}  // namespace troupe::cuda
