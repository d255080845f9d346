#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/index/reordered.hpp"

namespace troupe::cuda {

/// Copies elements of `size` bytes: 1, 2, 4, 8 or 16. The lengths lie in the card's memory.
struct ReverseSequenceCall {
  void* to;
  const void* from;
  int size;
  const int64_t* lengths;
  ReversedSequences sequences;
  int64_t elements;
  cudaStream_t stream;
};
void launch_reverse_sequence(const ReverseSequenceCall& call);

/// Copies a tensor to its continuation.
struct MirrorCall {
  void* to;
  const void* from;
  int size;
  MirroredAxes axes;
  cudaStream_t stream;
};
void launch_mirror(const MirrorCall& call);

/// Sets each element of the tensor to the sum of its images in the continuation, `from`.
using LaunchImageSums = void (*)(const MirrorCall& call);
/// Null where there is none.
LaunchImageSums find_image_sums(Element element);

}  // namespace troupe::cuda
