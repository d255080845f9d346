#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace troupe::cuda {

/// Copies matrices of elements of `size` bytes (1, 2, 4, 8 or 16), with zeros for those that lie
/// more than so many places before the diagonal in their column, or behind it in their row.
struct BandPartCall {
  void* to;
  const void* from;
  int size;
  int64_t elements, rows, columns, lower, upper;
  cudaStream_t stream;
};
void launch_band_part(const BandPartCall& call);

}  // namespace troupe::cuda
