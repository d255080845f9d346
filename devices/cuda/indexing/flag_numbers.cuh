#pragma once

#include <cub/block/block_scan.cuh>

#include "troupe/devices/cuda/indexing/where.hpp"
#include "troupe/devices/cuda/launch_size.hpp"

namespace troupe::cuda {

struct AddFlags {
  __device__ int64_t operator()(int64_t x, int64_t y) const { return x + y; }
};

/// Calls use(i, true flags before flag i) for all of them. `before`: true flags before each block.
template <class Use>
__device__ void number_flags(
    const bool* flags, const int64_t* before, int64_t count, const Use& use) {
  using NumberScan = cub::BlockScan<int64_t, block_threads>;
  __shared__ typename NumberScan::TempStorage shared;
  for (int64_t block = blockIdx.x; block * flags_of_block < count; block += gridDim.x) {
    auto found = before[block];
    auto begin = block * flags_of_block;
    for (int64_t first = begin; first < begin + flags_of_block; first += block_threads) {
      auto i = first + threadIdx.x;
      int64_t flag = i < count && flags[i] ? 1 : 0, rank, all;
      NumberScan(shared).ExclusiveScan(flag, rank, int64_t{0}, AddFlags(), all);
      if (i < count) use(i, found + rank);
      found += all;
      __syncthreads();
    }
  }
}

/// Sets number `at` of int64s, if they are long, or of int32s.
__device__ inline void set_int(void* ints, bool is_long, int64_t at, int64_t value) {
  if (is_long) static_cast<int64_t*>(ints)[at] = value;
  else static_cast<int32_t*>(ints)[at] = static_cast<int32_t>(value);
}

}  // namespace troupe::cuda
