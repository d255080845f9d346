#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Finds elements of rows by their ranks, the greatest first, and at equal ones that of the lesser
/// place: those of ranks `first` to before first + count.
struct RankCall {
  void* values;     // [rows, count]
  int32_t* places;  // likewise, or null
  const void* from;
  int64_t rows, length;
  int64_t first, count;
  void* scratch;  // in which so many rows are sorted
  int64_t rows_at_once;
  /// On the card: 0 where all rows are in order, so that nothing is sorted; null: they may not be.
  const int32_t* unsorted;
  cudaStream_t stream;
};
using LaunchRanking = void (*)(const RankCall& call);

/// How elements of a dtype are ranked. No function where there is none.
struct Ranking {
  LaunchRanking function = nullptr;
  int64_t bytes = 0;  // of a ranked element

  /// Of the memory in which a row is sorted.
  int64_t row_bytes(int64_t length) const;
};
Ranking find_ranking(Element element);

/// Whether fewer than k of the row's predictions are greater than the target's, and all finite.
struct InTopCall {
  bool* out;
  const float* predictions;  // [rows, classes]
  const void* targets;
  bool has_long_targets;
  int64_t rows, classes, k;
  cudaStream_t stream;
};
void launch_in_top(const InTopCall& call);

}  // namespace troupe::cuda
