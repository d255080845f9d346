#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// What becomes of the sum of a segment's rows.
enum class SegmentFinish : uint8_t { nothing, divide_by_rows, divide_by_root_of_rows };

/// Folds rows of `inner` elements: row i of the result is made of the rows of the data that entries
/// starts[i] to before starts[i + 1] name. All arrays lie in the card's memory.
struct SegmentCall {
  void* out;
  const void* from;
  const int64_t* starts;   // one more than there are results
  const int64_t* rows;     // of the entries; null: the entries themselves
  const double* divisors;  // of the entries; null: none
  int64_t count, inner;    // of results
  SegmentFinish finish;
  int64_t empty;  // the result of no rows
  cudaStream_t stream;
};
using LaunchSegments = void (*)(const SegmentCall& call);

/// "Sum", "Prod", "Min" or "Max"; null where there is none.
LaunchSegments find_segments(std::string_view fold, Element element);

}  // namespace troupe::cuda
