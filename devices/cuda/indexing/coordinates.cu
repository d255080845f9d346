#include "troupe/devices/cuda/indexing/coordinates.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class I>
__global__ void coordinates_kernel(CoordinatesCall call) {
  auto is_small = call.elements <= Divider::small_max;
  auto* to = static_cast<I*>(call.to);
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto rest = static_cast<int64_t>(static_cast<const I*>(call.indices)[i]);
    auto is_there = rest >= 0 && rest < call.elements;
    for (int k = call.axis_count - 1; k >= 0; --k) {
      const auto& axis = call.axes[k];
      int64_t coordinate = -1;
      if (is_there) {
        auto quotient = axis.size.divide(rest, is_small);
        coordinate = rest - quotient * axis.size.divisor();
        rest = quotient;
      }
      to[axis.number * call.count + i] = static_cast<I>(coordinate);
    }
  }
}

}  // namespace

void launch_coordinates(const CoordinatesCall& call) {
  auto kernel = call.is_long ? coordinates_kernel<int64_t> : coordinates_kernel<int32_t>;
  start_kernel(call.stream, blocks_for(call.count), block_threads, kernel, call);
}

}  // namespace troupe::cuda
