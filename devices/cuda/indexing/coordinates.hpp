#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/index/divider.hpp"

namespace troupe::cuda {

/// The coordinates of elements that are counted in row-major order: a line of `count` for each
/// axis, -1 where a tensor has no such element. Axes of size 1 are left out, as their coordinates
/// are 0, so that the others, of at least 2 each, are no more than an int64 counts elements of.
struct CoordinatesCall {
  static constexpr int axes_max = 63;

  struct Axis {
    Divider size;
    int64_t number;  // of the axis, among all
  };

  void* to;
  const void* indices;
  bool is_long;  // int64, not int32
  int64_t count;
  int64_t elements;  // of the tensor
  Axis axes[axes_max];
  int axis_count;
  cudaStream_t stream;
};
void launch_coordinates(const CoordinatesCall& call);

}  // namespace troupe::cuda
