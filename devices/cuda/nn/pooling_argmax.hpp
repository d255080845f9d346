#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/nn/pool_geometry.hpp"

namespace troupe::cuda {

/// Where each window's greatest element is: its position in its image, or among all images.
struct ArgmaxPositions {
  bool is_long, counts_images;  // is_long: positions are int64, else int32
  PoolGeometry pool;
};

/// A pool of the greatest elements of `x`, and its argmax.
struct ArgmaxPoolCall {
  void* result;
  void* argmax;
  const void* x;
  ArgmaxPositions positions;
  cudaStream_t stream;
};
using LaunchArgmaxPool = void (*)(const ArgmaxPoolCall& call);
LaunchArgmaxPool find_argmax_pool(Element element);

/// From what lies as the output to what lies as the input, and the other way round. A position that
/// is out of range is passed over, or gives 0.
struct ArgmaxGradCall {
  void* result;
  const void* dy;
  const void* argmax;
  uint32_t* has_strays;  // memory for a flag; not of launch_argmax_gather()
  ArgmaxPositions positions;
  cudaStream_t stream;
};
using LaunchArgmaxGrad = void (*)(const ArgmaxGradCall& call);
/// Sets each element of the input to the sum of what is at the positions that name it. Null where
/// there is none.
LaunchArgmaxGrad find_argmax_grad(Element element);
/// Sets each element of the output, of so many bytes, to the element at its position.
void launch_argmax_gather(const ArgmaxGradCall& call, int size);

}  // namespace troupe::cuda
