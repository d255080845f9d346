#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

namespace troupe::cuda {

/// What becomes bytes [begin, begin + bytes) of each row of a result: as many of its own, which lie
/// one after the other.
struct JoinedPart {
  const void* from;
  int64_t begin;
  int64_t bytes;
};

/// Copies the parts to `rows` rows of so many bytes, by few starts of a kernel however many parts
/// there are.
void launch_join(
    void* to, int64_t row_bytes, int64_t rows, std::span<const JoinedPart> parts,
    cudaStream_t stream);

/// Whether that is faster than a copy of each part: several small ones, whose starts would take
/// longer than the copies.
inline bool is_joined_at_once(int64_t bytes, int64_t parts) {
  constexpr int64_t worth_a_start = 64 * 1024;
  return parts > 2 && bytes / parts < worth_a_start;
}

}  // namespace troupe::cuda
