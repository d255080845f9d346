#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/index/divider.hpp"

namespace troupe::cuda {

/// Where patches lie along one axis of images or volumes, as cpu::PatchAxis.
struct PatchAxis {
  Divider patch, count;
  int64_t stride, rate, size, before;
};

/// Sets a tensor of [batch, z.count, y.count, x.count, z.patch, y.patch, x.patch, depth] to patches
/// of volumes of [batch, z.size, y.size, x.size, depth], and to zeros where a patch lies outside;
/// an image is a volume of one plane. Elements have `size` bytes: 1, 2, 4, 8 or 16.
struct PatchesCall {
  void* to;
  const void* from;
  int size;
  PatchAxis z, y, x;
  Divider depth;
  int64_t elements;
  cudaStream_t stream;
};
void launch_patches(const PatchesCall& call);

}  // namespace troupe::cuda
