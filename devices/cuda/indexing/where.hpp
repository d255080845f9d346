#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

namespace troupe::cuda {

/// A block looks at so many flags.
inline constexpr int64_t flags_of_block = 4096;
constexpr int64_t flag_blocks(int64_t count) {
  return std::max<int64_t>(1, (count + flags_of_block - 1) / flags_of_block);
}

/// Sets each of the blocks' counts to the number of true flags in the block.
void launch_count_flags(int64_t* counts, const bool* flags, int64_t count, cudaStream_t stream);

struct PlacesCall {
  int64_t* out;           // [true flags, rank]
  const bool* flags;      // in row-major order
  const int64_t* before;  // by block: the true flags before it
  int64_t count;
  int rank;
  int64_t sizes[8];  // of the flags' shape
  cudaStream_t stream;
};
/// Sets the rows of the result to the coordinates of the true flags, in their order.
void launch_places(const PlacesCall& call);

}  // namespace troupe::cuda
