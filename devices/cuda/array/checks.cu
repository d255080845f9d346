#include "troupe/devices/cuda/array/checks.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class T>
__global__ void find_kernel(int32_t* kinds, const T* x, int64_t count) {
  int32_t found = 0;
  for (auto i = first_item(); i < count; i += item_step()) {
    auto value = widen(x[i]);
    if (value != value) found |= has_nan;
    else if (value - value != 0) found |= has_infinity;
  }
  // Mostly there is none.
  if (found != 0) atomicOr(kinds, found);
}

template <class T>
void launch(int32_t* kinds, const void* x, int64_t count, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count, 4 * block_threads), block_threads, find_kernel<T>, kinds,
      static_cast<const T*>(x), count);
}

}  // namespace

LaunchFindNotFinite find_not_finite(Element element) {
  return choose<LaunchFindNotFinite>(
      FloatingElements{}, element, [](auto zero) { return launch<decltype(zero)>; });
}

}  // namespace troupe::cuda
