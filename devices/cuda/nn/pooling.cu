#include "troupe/devices/cuda/nn/pooling.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// A thread for each element of the result. A gradient looks for the windows that have its element,
/// so that no two threads add to one, and sums are always made in one order.
template <class T>
__global__ void pool_kernel(
    T* result, const T* x, const T* dy, PoolPass pass, PoolGeometry pool, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step()) {
    switch (pass) {
      case PoolPass::max: result[i] = max_pool_at(x, pool, i); break;
      case PoolPass::max_gradient: result[i] = max_pool_gradient_at(x, dy, pool, i); break;
      case PoolPass::average: result[i] = average_pool_at(x, pool, i); break;
      case PoolPass::average_gradient: result[i] = average_pool_gradient_at(dy, pool, i); break;
    }
  }
}

template <class T>
void launch(const PoolCall& call) {
  auto is_gradient = call.pass == PoolPass::max_gradient || call.pass == PoolPass::average_gradient;
  auto count = is_gradient ? call.pool.in_elements() : call.pool.out_elements();
  start_kernel(
      call.stream, blocks_for(count), block_threads, pool_kernel<T>, static_cast<T*>(call.result),
      static_cast<const T*>(call.x), static_cast<const T*>(call.dy), call.pass, call.pool, count);
}

}  // namespace

LaunchPool find_pool(Element element) {
  return choose<LaunchPool>(
      FloatingElements{}, element, [](auto zero) { return launch<decltype(zero)>; });
}

}  // namespace troupe::cuda
