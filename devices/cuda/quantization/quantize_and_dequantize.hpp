#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cpu/quantization/scaling.hpp"
#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// How many pairs of a least and a greatest number, as wide as elements are computed, are found of
/// so many elements.
int64_t extreme_pairs_of(int64_t count);

/// Sets out[i] to x[i] as an integer keeps it that it is scaled to. The memory of x may be the
/// result's.
struct ScaleCall {
  void* out;
  const void* x;
  int64_t count;
  /// Room for the pairs that the range is found from; null where it is given.
  void* pairs;
  double low, high;  // the given range
  cpu::IntegerRange integers;
  bool rounds_half_up;
  cudaStream_t stream;
};
using LaunchScale = void (*)(const ScaleCall& call);
/// Null where there is none.
LaunchScale find_scale(Element element);

}  // namespace troupe::cuda
