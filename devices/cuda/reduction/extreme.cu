#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/extremes.hpp"
#include "troupe/devices/cuda/reduction/reduce.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// So many lanes share a line: a whole warp where the line's elements are neighbours, else one.
template <class T>
__global__ void extreme_kernel(
    void* out, const T* from, LineGeometry lines, int lanes, bool is_least, bool is_long) {
  using A = Wide<T>;
  auto threads = gridDim.x * int64_t{blockDim.x};
  auto first = (first_item()) / lanes;
  auto lane = static_cast<int>(threadIdx.x) % lanes;
  auto rounds = (lines.count() + threads / lanes - 1) / (threads / lanes);
  for (int64_t round = 0; round < rounds; ++round) {
    auto line = first + round * (threads / lanes);
    auto has_line = line < lines.count();
    auto best = find_extreme_of_share<A>(from, lines, has_line ? line : 0, lane, lanes, is_least);
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      Extreme<A> other{
          __shfl_xor_sync(0xffffffff, best.value, distance),
          __shfl_xor_sync(0xffffffff, best.place, distance)};
      best = better_extreme(best, other, is_least);
    }
    if (!has_line || lane != 0) continue;
    if (is_long) static_cast<int64_t*>(out)[line] = best.place;
    else static_cast<int32_t*>(out)[line] = static_cast<int32_t>(best.place);
  }
}

template <class T>
void launch(const ExtremeCall& call) {
  LineGeometry lines{call.outer, call.size, call.inner};
  auto lanes = call.inner == 1 && call.size >= 16 ? 32 : 1;
  start_kernel(
      call.stream, blocks_for(lines.count() * lanes), block_threads, extreme_kernel<T>, call.out,
      static_cast<const T*>(call.from), lines, lanes, call.is_least, call.is_long);
}

}  // namespace

LaunchExtreme find_extreme(Element element) {
  return choose<LaunchExtreme>(
      NumberElements{}, element, [](auto zero) { return launch<decltype(zero)>; });
}

}  // namespace troupe::cuda
