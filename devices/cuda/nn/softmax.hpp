#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Softmax of rows, or its logarithm. The memory of both may be the same.
struct SoftmaxCall {
  void* out;
  const void* logits;
  int64_t rows, classes;
  bool is_log;
  cudaStream_t stream;
};
using LaunchSoftmax = void (*)(const SoftmaxCall& call);
LaunchSoftmax find_softmax(Element element);

/// What labels are: numbers for each class, or the class of a row.
enum class Labels : uint8_t { dense, int32, int64 };

/// The losses of rows, and their gradients. The logits' memory may be that of the gradients. A
/// label of no class makes NaN of its row.
struct CrossEntropyCall {
  void* losses;
  void* gradients;
  const void* logits;
  const void* labels;
  Labels kind;
  int64_t rows, classes;
  cudaStream_t stream;
};
using LaunchCrossEntropy = void (*)(const CrossEntropyCall& call);
LaunchCrossEntropy find_cross_entropy(Element element);

}  // namespace troupe::cuda
