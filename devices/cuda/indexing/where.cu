#include "troupe/devices/cuda/indexing/where.hpp"

#include <cub/block/block_scan.cuh>

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

using Scan = cub::BlockScan<int64_t, block_threads>;
struct Sum {
  __device__ int64_t operator()(int64_t x, int64_t y) const { return x + y; }
};

/// Calls use(index of a flag, how many true ones of the block are before it) for each true flag of
/// the block, and returns how many there are. All threads of the block take part.
template <class Use>
__device__ int64_t scan_flags(const bool* flags, int64_t block, int64_t count, const Use& use) {
  __shared__ typename Scan::TempStorage shared;
  int64_t found = 0;
  auto begin = block * flags_of_block;
  for (int64_t first = begin; first < begin + flags_of_block; first += block_threads) {
    auto i = first + threadIdx.x;
    int64_t flag = i < count && flags[i] ? 1 : 0, before, all;
    Scan(shared).ExclusiveScan(flag, before, int64_t{0}, Sum(), all);
    if (flag) use(i, found + before);
    found += all;
    __syncthreads();
  }
  return found;
}

__global__ void count_kernel(int64_t* counts, const bool* flags, int64_t count, int64_t blocks) {
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    auto found = scan_flags(flags, block, count, [](int64_t, int64_t) {});
    if (threadIdx.x == 0) counts[block] = found;
  }
}

__global__ void places_kernel(PlacesCall call, int64_t blocks) {
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x)
    scan_flags(call.flags, block, call.count, [&](int64_t i, int64_t before) {
      auto* row = call.out + (call.before[block] + before) * call.rank;
      for (int axis = call.rank - 1; axis >= 0; --axis) {
        row[axis] = i % call.sizes[axis];
        i /= call.sizes[axis];
      }
    });
}

}  // namespace

void launch_count_flags(int64_t* counts, const bool* flags, int64_t count, cudaStream_t stream) {
  auto blocks = flag_blocks(count);
  start_kernel(
      stream, blocks_for(blocks, 1), block_threads, count_kernel, counts, flags, count, blocks);
}

void launch_places(const PlacesCall& call) {
  auto blocks = flag_blocks(call.count);
  start_kernel(
      call.stream, blocks_for(blocks, 1), block_threads, places_kernel, call, blocks);
}

}  // namespace troupe::cuda
