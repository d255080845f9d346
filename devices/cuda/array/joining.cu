#include "troupe/devices/cuda/array/joining.hpp"

#include <algorithm>

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// As many as the parameters of a kernel have room for, with some to spare: 4 KiB.
constexpr int parts_at_once = 64;
struct Parts {
  JoinedPart at[parts_at_once];
};

/// Blocks with one y copy one part, in cells, which divide all that is counted in bytes.
template <class C>
__global__ void join_kernel(C* to, int64_t row_bytes, int64_t rows, Parts parts) {
  const auto& part = parts.at[blockIdx.y];
  const auto* from = static_cast<const C*>(part.from);
  constexpr int64_t cell = sizeof(C);
  auto size = part.bytes / cell, begin = part.begin / cell, row_size = row_bytes / cell;
  for (auto i = first_item(); i < size * rows; i += item_step()) {
    auto row = rows == 1 ? 0 : i / size;
    to[row * row_size + begin + i - row * size] = from[i];
  }
}

/// The greatest cell that divides addresses and sizes.
int cell_of(const void* to, int64_t row_bytes, std::span<const JoinedPart> parts) {
  auto bits = reinterpret_cast<uintptr_t>(to) | static_cast<uintptr_t>(row_bytes) | 16;
  for (const auto& part : parts)
    bits |= reinterpret_cast<uintptr_t>(part.from) |
            static_cast<uintptr_t>(part.begin | part.bytes);
  return static_cast<int>(bits & -bits);
}

}  // namespace

void launch_join(
    void* to, int64_t row_bytes, int64_t rows, std::span<const JoinedPart> parts,
    cudaStream_t stream) {
  while (!parts.empty()) {
    auto now = parts.first(std::min<size_t>(parts.size(), parts_at_once));
    parts = parts.subspan(now.size());
    Parts given{};
    std::ranges::copy(now, given.at);
    auto longest = std::ranges::max(now, {}, &JoinedPart::bytes).bytes;
    if (longest * rows == 0) continue;
    with_cell(cell_of(to, row_bytes, now), [&](auto cell) {
      using C = decltype(cell);
      dim3 blocks(
          blocks_for(longest * rows / static_cast<int64_t>(sizeof(C))),
          static_cast<unsigned>(now.size()));
      start_kernel(
          stream, blocks, block_threads, join_kernel<C>, static_cast<C*>(to), row_bytes, rows,
          given);
    });
  }
}

}  // namespace troupe::cuda
