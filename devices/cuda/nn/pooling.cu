#include "troupe/devices/cuda/nn/pooling.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// A thread for each element of the result. A gradient looks for the windows that have its element,
/// so that no two threads add to one, and sums are always made in one order.
template <class T>
__global__ void max_kernel(
    T* result, const T* x, const T* dy, PoolPass pass, PoolGeometry pool, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step()) {
    switch (pass) {
      case PoolPass::max: result[i] = max_pool_at(x, pool, i); break;
      case PoolPass::max_gradient: result[i] = max_pool_gradient_at(x, dy, pool, i); break;
      default: result[i] = value_at_greatest(x, dy, pool, i);
    }
  }
}

/// As max_kernel().
template <class T>
__global__ void average_kernel(
    T* result, const T* x, const T* dy, PoolPass pass, PoolGeometry pool, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step())
    result[i] = pass == PoolPass::average ? average_pool_at(x, pool, i)
                                          : average_pool_gradient_at(dy, pool, i);
}

template <class T>
void launch(
    const PoolCall& call, void (*kernel)(T*, const T*, const T*, PoolPass, PoolGeometry, int64_t)) {
  auto is_gradient = call.pass == PoolPass::max_gradient || call.pass == PoolPass::average_gradient;
  auto count = is_gradient ? call.pool.in_elements() : call.pool.out_elements();
  start_kernel(
      call.stream, blocks_for(count), block_threads, kernel, static_cast<T*>(call.result),
      static_cast<const T*>(call.x), static_cast<const T*>(call.dy), call.pass, call.pool, count);
}

template <class T>
void launch_max(const PoolCall& call) {
  launch<T>(call, max_kernel<T>);
}
template <class T>
void launch_average(const PoolCall& call) {
  launch<T>(call, average_kernel<T>);
}

}  // namespace

LaunchPool find_pool(Element element, PoolPass pass) {
  if (pass == PoolPass::average || pass == PoolPass::average_gradient)
    return choose<LaunchPool>(
        FloatingElements{}, element, [](auto zero) { return launch_average<decltype(zero)>; });
  return choose<LaunchPool>(
      NumberElements{}, element, [](auto zero) { return launch_max<decltype(zero)>; });
}

}  // namespace troupe::cuda
