#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Limits elements to bounds, each with a step of 1, or 0 where one is for all. The memory of x may
/// be the result's.
struct ClipCall {
  void* out;
  const void* x;
  const void* low;
  const void* high;
  int low_step, high_step;
  int64_t count;
  cudaStream_t stream;
};
using LaunchClip = void (*)(const ClipCall& call);
LaunchClip find_clip(Element element);

/// Sets out[i] to x[i] where sign_of[i] is positive, else to alpha times that. All memory may be
/// the same.
struct LeakCall {
  void* out;
  const void* x;
  const void* sign_of;
  double alpha;
  int64_t count;
  cudaStream_t stream;
};
using LaunchLeak = void (*)(const LeakCall& call);
LaunchLeak find_leak(Element element);

}  // namespace troupe::cuda
