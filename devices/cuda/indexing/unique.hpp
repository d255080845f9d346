#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// The elements of a vector that differ, in the order of their first places. A run: equal elements
/// in the sorted vector, where they are in the order of their places.
struct UniqueCall {
  const void* x;
  const void* sorted;
  const int32_t* places;  // where each sorted element is in x
  int64_t count;          // not 0
  bool* begins;           // by sorted element: whether a run begins with it
  bool* is_first;         // by element of x: whether it is the first that is equal to it
  cudaStream_t stream;
};
using LaunchFindRuns = void (*)(const UniqueCall& call);
/// Sets `begins` and `is_first`. Null where there is none.
LaunchFindRuns find_runs(Element element);

/// What the runs tell once true flags are counted, by blocks as in where.hpp.
struct UniqueNumbersCall {
  UniqueCall unique;
  const int64_t* begins_before;  // true ones before each block; behind the blocks all
  const int64_t* first_before;
  int64_t* run_starts;   // memory for count + 1: where in the sorted vector runs begin, and its end
  int64_t* first_ranks;  // memory for count: by element of x, how many first ones are before it
  void* which;           // for each element of x, which of those that differ it is
  bool is_long;          // int64, not int32
};
void launch_unique_numbers(const UniqueNumbersCall& call);

struct UniqueValuesCall {
  UniqueNumbersCall numbers;
  void* values;
  int size;      // of an element: 1, 2, 4 or 8
  void* counts;  // of as many integers; null: not wanted
};
/// Sets the elements that differ, and how often each is there.
void launch_unique_values(const UniqueValuesCall& call);

}  // namespace troupe::cuda
