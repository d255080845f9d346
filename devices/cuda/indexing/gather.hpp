#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/index/rows.hpp"

namespace troupe::cuda {

/// Copies rows of `row_bytes` that indices name. Rows of indices that there are none of are zeros.
struct GatherCall {
  void* to;
  const void* from;
  const void* indices;
  bool has_long_indices;
  GatheredRows rows;
  int size;  // bytes of the cells that rows are made of: 1, 2, 4, 8 or 16
  cudaStream_t stream;
};
void launch_gather(const GatherCall& call);

/// As GatherCall, of slices whose places vectors of indices say; or the other way round.
struct SlicesCall {
  void* to;
  const void* from;
  const void* indices;
  bool has_long_indices;
  NamedSlices slices;
  int size;
  cudaStream_t stream;
};
void launch_gather_slices(const SlicesCall& call);

/// Sets all to the off value, or where an index is at its place of the axis, to the on value.
struct OneHotCall {
  void* to;
  const void* indices;
  int index_bytes;  // 1, 4 or 8
  const void* on;
  const void* off;
  int64_t count, depth, inner;  // of the result, [outer, depth, inner]
  int size;
  cudaStream_t stream;
};
void launch_one_hot(const OneHotCall& call);

}  // namespace troupe::cuda
