#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Selects the boxes with the best scores, where each that is selected lowers the scores of those
/// that it overlaps, or removes them.
struct SoftSuppressionCall {
  int32_t* selected;      // at most `most` boxes, the best first
  void* selected_scores;  // as they are then
  int32_t* found;         // how many these are
  const void* boxes;      // [count, 4]
  const void* scores;
  int64_t count, most;
  float threshold, score_threshold;
  float scale;  // of the squares of overlaps, in exponents
  // Memory:
  float* current;     // the boxes' scores
  int32_t* compared;  // each with so many of those selected; -1: it is out, or selected
  float* chosen;      // [most, 4]: those that are selected
  cudaStream_t stream;
};
using LaunchSoftSuppression = void (*)(const SoftSuppressionCall& call);
/// Null where there is none.
LaunchSoftSuppression find_soft_suppression(Element element);

}  // namespace troupe::cuda
