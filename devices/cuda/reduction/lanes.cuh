#pragma once

#ifndef __CUDACC_RTC__
#include <cuda_runtime.h>
#endif

#include "troupe/devices/cuda/math/complex.hpp"
#include "troupe/devices/cuda/reduction/lane_count.hpp"

namespace troupe::cuda {

constexpr int warps_max = 32;  // of a block

/// What the thread has whose number in the warp differs in that bit.
template <class A>
__device__ A value_across(A value, int distance) {
  if constexpr (is_complex<A>)
    return {value_across(value.real, distance), value_across(value.imag, distance)};
  else return __shfl_xor_sync(0xffffffff, value, distance);
}

/// Joins the values of the threads of a row of a block, which has 32 of them, or a block of one row
/// with up to 1024. `shared` has room for warps_max values. All threads get the result.
template <class A, class Join>
__device__ A join_lanes(A value, A* shared, const Join& join) {
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2)
    value = join(value, value_across(value, distance));
  auto warps = static_cast<int>(blockDim.x) / warp_lanes;
  if (warps == 1) return value;
  auto lane = static_cast<int>(threadIdx.x) % warp_lanes;
  __syncthreads();  // after what was last read from there
  if (lane == 0) shared[threadIdx.x / warp_lanes] = value;
  __syncthreads();
  value = shared[0];
  for (int i = 1; i < warps; ++i) value = join(value, shared[i]);
  return value;
}

}  // namespace troupe::cuda
