#include "troupe/devices/cuda/array/patches.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// Takes the innermost index, of an axis of that size, off the number of an element.
__device__ int64_t take_index(int64_t& element, const Divider& size, bool is_small) {
  auto rest = size.divide(element, is_small), index = element - rest * size.divisor();
  element = rest;
  return index;
}

__device__ int64_t place(const PatchAxis& axis, int64_t patch, int64_t element) {
  return patch * axis.stride - axis.before + element * axis.rate;
}

__device__ bool contains(const PatchAxis& axis, int64_t place) {
  return place >= 0 && place < axis.size;
}

template <class C>
__global__ void patches_kernel(PatchesCall call) {
  const auto &z = call.z, &y = call.y, &x = call.x;
  auto is_small = call.elements <= Divider::small_max;
  for (auto i = first_item(); i < call.elements; i += item_step()) {
    auto rest = i;
    auto take = [&](const Divider& size) { return take_index(rest, size, is_small); };
    auto channel = take(call.depth), in_x = take(x.patch), in_y = take(y.patch);
    auto in_z = take(z.patch);
    auto column = place(x, take(x.count), in_x), row = place(y, take(y.count), in_y);
    auto plane = place(z, take(z.count), in_z);
    C cell{};
    if (contains(z, plane) && contains(y, row) && contains(x, column)) {
      auto line = (rest * z.size + plane) * y.size + row;
      cell = static_cast<const C*>(
          call.from)[(line * x.size + column) * call.depth.divisor() + channel];
    }
    static_cast<C*>(call.to)[i] = cell;
  }
}

}  // namespace

void launch_patches(const PatchesCall& call) {
  with_cell(call.size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(call.elements), block_threads, patches_kernel<decltype(cell)>,
        call);
  });
}

}  // namespace troupe::cuda
