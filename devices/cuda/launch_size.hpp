#pragma once

#include <algorithm>
#include <cstdint>

namespace troupe::cuda {

/// The threads of most blocks.
inline constexpr int block_threads = 256;
/// More blocks than any card runs at once: kernels go on to what is left in steps of the grid.
#ifdef TROUPE_CUDA_BLOCKS_MAX
inline constexpr int64_t blocks_max = TROUPE_CUDA_BLOCKS_MAX;
#else
inline constexpr int64_t blocks_max = 8192;
#endif

/// How many blocks a kernel has whose threads take so many items, one after the other.
inline unsigned blocks_for(int64_t items, int64_t each_block = block_threads) {
  return static_cast<unsigned>(
      std::clamp<int64_t>((items + each_block - 1) / each_block, 1, blocks_max));
}

}  // namespace troupe::cuda
