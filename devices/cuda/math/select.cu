#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/math/elementwise.cuh"

namespace troupe::cuda {
namespace {

template <class C>
__global__ void select_kernel(
    C* out, const bool* flags, const C* then, const C* otherwise, StridedWalk<3> walk) {
  for (auto i = first_item(); i < walk.elements; i += item_step()) {
    auto offsets = walk.offsets(i);
    out[i] = flags[offsets.at[0]] ? then[offsets.at[1]] : otherwise[offsets.at[2]];
  }
}

}  // namespace

void launch_select(const SelectCall& call) {
  with_cell(call.size, [&](auto cell) {
    using C = decltype(cell);
    start_kernel(
        call.stream, blocks_for(call.walk.elements), block_threads, select_kernel<C>,
        static_cast<C*>(call.out), static_cast<const bool*>(call.flags),
        static_cast<const C*>(call.then), static_cast<const C*>(call.otherwise), call.walk);
  });
}

}  // namespace troupe::cuda
