#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// `count` slices of a tensor along an axis, each of `outer` pieces of `inner` elements.
struct SliceAxis {
  int64_t outer, count, inner;

  int64_t size() const { return outer * inner; }
};

/// The leader of a slice: the first one that is equal to it, by its number; of one with a NaN,
/// which equals nothing, itself.
struct Leaders {
  Tensor of;        // int32, by slice
  Tensor is_first;  // bool: whether the slice is its own leader
};

/// Sorts hashes of the slices, of which there is at least one. Not for dtypes without elements that
/// cards compare.
Result<Leaders> find_leaders(const Launch& launch, const Tensor& x, const SliceAxis& axis);

struct LeadersCall {
  const void* x;
  SliceAxis axis;
  uint64_t* hashes;
  // Of the hashes in order, in runs of equal ones:
  const int32_t* places = nullptr;  // whose they are
  const bool* begins = nullptr;     // whether a run begins with it
  const int64_t* begins_before = nullptr;
  int64_t* run_starts = nullptr;  // memory for `count`
  bool* differs = nullptr;        // by slice: from the first slice of its run; all false
  int32_t* leaders = nullptr;
  bool* is_first = nullptr;
  cudaStream_t stream = nullptr;
};

/// Kernels for elements of a type; null where there are none.
struct LeadersKernels {
  void (*hash)(const LeadersCall& call) = nullptr;
  void (*lead)(const LeadersCall& call) = nullptr;
};
LeadersKernels find_leaders_kernels(Element element);

/// The distinct slices, from their leaders.
struct DistinctCall {
  const int32_t* leaders;
  const bool* is_first;
  const int64_t* first_before;  // by block of where.hpp: how many are first before it
  int64_t count;
  int64_t* ranks;   // memory for `count`: how many are first before each slice
  int64_t* firsts;  // the numbers of those that are
  void* which;      // for each slice, which of the distinct ones it is
  void* counts;     // zeros: how many are equal to each distinct one; null: not wanted
  bool is_long;     // both are int64, not int32
  cudaStream_t stream;
};
void launch_distinct(const DistinctCall& call);

}  // namespace troupe::cuda
