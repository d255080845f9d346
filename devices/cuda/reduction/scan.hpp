#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

enum class ScanKind : uint8_t { sum, product, log_sum_exp };

/// Sets each element of the lines of [outer, size, inner] to the sum, or what else, of those up to
/// it along the line, without itself where it is exclusive; from the end on where it is
/// reversed.
struct ScanCall {
  void* out;
  const void* from;
  int64_t outer, size, inner;
  bool is_exclusive, is_reverse;
  cudaStream_t stream;
};
using LaunchScan = void (*)(const ScanCall& call);

/// Null where there is none.
LaunchScan find_scan(ScanKind kind, Element element);

}  // namespace troupe::cuda
