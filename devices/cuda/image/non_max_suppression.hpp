#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// So many boxes, the best first, are compared with each other at once: each has a bit for each
/// other one.
inline constexpr int64_t suppression_chunk = 4096;
inline constexpr int64_t suppression_words = suppression_chunk / 64;

/// Selects the boxes with the best scores of those that overlap no better one that is selected.
struct SuppressionCall {
  int32_t* selected;  // at most `most` boxes, the best first
  int32_t* found;     // how many these are; 0 before
  const void* boxes;  // [count, 4]; or floats [count, count], by how far a box overlaps others
  bool has_overlaps;
  const void* scores;
  const int32_t* order;  // the boxes by descending scores, NaN last
  int64_t count, most;
  float threshold, score_threshold;
  // Memory:
  int32_t* candidates;  // how many boxes have scores above the threshold; 0 before
  float* ranked;        // the boxes in that order; not used of overlaps
  float* chosen;        // [most, 4]: those that are selected; not used of overlaps
  uint8_t* removed;     // of each of a chunk, whether one that is selected removes it; 0 before
  uint64_t* removes;    // of each of a chunk, suppression_words with those that it would remove
  cudaStream_t stream;
};
using LaunchSuppression = void (*)(const SuppressionCall& call);
/// Null where there is none. Neither count nor most may be 0.
LaunchSuppression find_suppression(Element element);

/// Sets the scores of boxes that are selected, in their order.
struct SelectedScoresCall {
  void* to;
  const void* scores;
  const int32_t* selected;
  const int32_t* found;  // how many
  int64_t most;
  cudaStream_t stream;
};
using LaunchSelectedScores = void (*)(const SelectedScoresCall& call);
LaunchSelectedScores find_selected_scores(Element element);

}  // namespace troupe::cuda
