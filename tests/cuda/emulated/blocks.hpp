#pragma once

#include <cuda_runtime_api.h>

#include <cstring>
#include <functional>

/// What a kernel's thread sees of its place.
extern constinit thread_local dim3 gridDim, blockDim, blockIdx, threadIdx;

namespace troupe::emulated {

/// Runs a kernel once for each thread of each block, all on the calling thread. A thread that waits
/// for others of its block or warp is left, and gone on with when all have come; where they never
/// do, as they wait in different places, the process ends with a message. From one grid to the next
/// blocks and threads run in ascending and in descending order by turns: where they rely on an
/// order that nothing makes, one of both gives other results.
void run_grid(dim3 grid, dim3 block, const std::function<void()>& kernel);

/// Puts a grid on the stream of the configuration. An error is kept for cudaGetLastError(), too.
cudaError_t launch(const cudaLaunchConfig_t& config, std::function<void()> kernel);

/// Waits for all threads of the block, or warp, that have not ended. Whether a flag of one is set.
int wait_for_block(int flag);
void wait_for_warp();

/// Memory of the warp in which each lane leaves a value for the others, of at most 16 bytes.
void leave_value(const void* value, size_t bytes);
void read_value(int lane, void* value, size_t bytes);
int current_lane();

/// The value that the lane source(own lane) gives in the same call.
template <class T, class Source>
T exchange(T value, const Source& source) {
  static_assert(sizeof(T) <= 16);
  leave_value(&value, sizeof(T));
  wait_for_warp();
  read_value(source(current_lane()), &value, sizeof(T));
  return value;
}

}  // namespace troupe::emulated
