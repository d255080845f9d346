#include "troupe/devices/cuda/indexing/list_diff.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/indexing/flag_numbers.cuh"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__global__ void left_kernel(LeftCall call) {
  for (auto i = first_item(); i < call.x_count; i += item_step())
    call.is_left[i] = call.leaders[call.y_count + i] >= call.y_count;
}

template <class C>
__global__ void take_left_kernel(TakeLeftCall call) {
  number_flags(call.is_left, call.before, call.x_count, [&](int64_t i, int64_t rank) {
    if (!call.is_left[i]) return;
    static_cast<C*>(call.to)[rank] = static_cast<const C*>(call.x)[i];
    set_int(call.places, call.has_long_places, rank, i);
  });
}

}  // namespace

void launch_left(const LeftCall& call) {
  start_kernel(call.stream, blocks_for(call.x_count), block_threads, left_kernel, call);
}

void launch_take_left(const TakeLeftCall& call) {
  with_cell(call.size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(flag_blocks(call.x_count), 1), block_threads,
        take_left_kernel<decltype(cell)>, call);
  });
}

}  // namespace troupe::cuda
