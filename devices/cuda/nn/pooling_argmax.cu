#include "troupe/devices/cuda/nn/pooling_argmax.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__host__ __device__ int64_t elements_of_image(const PoolGeometry& pool) {
  return pool.in[0] * pool.in[1] * pool.in[2] * pool.inner;
}

template <class T>
__global__ void argmax_pool_kernel(ArgmaxPoolCall call) {
  const auto* x = static_cast<const T*>(call.x);
  const auto& pool = call.positions.pool;
  for (auto i = first_item(); i < pool.out_elements(); i += item_step()) {
    auto place = PoolGeometry::place_of(i, pool.out, pool.inner);
    auto found = greatest_of_window(x, pool, pool.window_at(place.at), place.image, place.column);
    static_cast<T*>(call.result)[i] = x[found];
    if (!call.positions.counts_images) found -= place.image * elements_of_image(pool);
    if (call.positions.is_long) static_cast<int64_t*>(call.argmax)[i] = found;
    else static_cast<int32_t*>(call.argmax)[i] = static_cast<int32_t>(found);
  }
}

/// The element of the input that is named for an output, or -1 where the position is out of range.
__device__ int64_t named_element(const ArgmaxGradCall& call, int64_t output) {
  const auto& [is_long, counts_images, pool] = call.positions;
  auto position = is_long ? static_cast<const int64_t*>(call.argmax)[output]
                          : int64_t{static_cast<const int32_t*>(call.argmax)[output]};
  auto limit = counts_images ? pool.in_elements() : elements_of_image(pool);
  if (position < 0 || position >= limit) return -1;
  if (counts_images) return position;
  return output / (pool.out_elements() / pool.outer) * limit + position;
}

/// Whether an element lies outside of the window of that output, as of no argmax that a pool made.
__device__ bool is_stray(const PoolGeometry& pool, int64_t element, int64_t output) {
  auto of = PoolGeometry::place_of(output, pool.out, pool.inner);
  auto place = PoolGeometry::place_of(element, pool.in, pool.inner);
  if (place.image != of.image || place.column != of.column) return true;
  auto window = pool.window_at(of.at);
  for (int i = 0; i < 3; ++i)
    if (place.at[i] < window.begin[i] || place.at[i] >= window.end[i]) return true;
  return false;
}

/// Sets a flag that was 0 where there is a stray; it is of no matter which thread does.
__global__ void find_strays_kernel(ArgmaxGradCall call) {
  const auto& pool = call.positions.pool;
  for (auto i = first_item(); i < pool.out_elements(); i += item_step()) {
    auto element = named_element(call, i);
    if (element >= 0 && is_stray(pool, element, i)) *call.has_strays = 1;
  }
}

/// A thread looks for the outputs that name its element, in their order: among those whose windows
/// have it, or, if any output names what is not in its window, among all of them.
template <class T>
__global__ void argmax_grad_kernel(ArgmaxGradCall call) {
  const auto& pool = call.positions.pool;
  const auto* dy = static_cast<const T*>(call.dy);
  for (auto i = first_item(); i < pool.in_elements(); i += item_step()) {
    Wide<T> sum = 0;
    auto add = [&](int64_t output) {
      if (named_element(call, output) == i) sum = FoldSum::join(sum, widen(dy[output]));
    };
    auto place = PoolGeometry::place_of(i, pool.in, pool.inner);
    if (*call.has_strays == 0) {
      PoolGeometry::each(pool.windows_over(place.at), [&](const int64_t* output) {
        add(pool.out_element(place.image, output, place.column));
      });
    } else {
      auto of_image = pool.out_elements() / pool.outer;
      auto begin = call.positions.counts_images ? 0 : place.image * of_image;
      auto end = call.positions.counts_images ? pool.out_elements() : begin + of_image;
      for (auto output = begin; output < end; ++output) add(output);
    }
    static_cast<T*>(call.result)[i] = Narrow<T>::of(sum);
  }
}

template <class C>
__global__ void argmax_gather_kernel(ArgmaxGradCall call) {
  for (auto i = first_item(); i < call.positions.pool.out_elements(); i += item_step()) {
    auto element = named_element(call, i);
    static_cast<C*>(call.result)[i] = element < 0 ? C{} : static_cast<const C*>(call.dy)[element];
  }
}

template <class T>
void launch_pool(const ArgmaxPoolCall& call) {
  start_kernel(
      call.stream, blocks_for(call.positions.pool.out_elements()), block_threads,
      argmax_pool_kernel<T>, call);
}

template <class T>
void launch_grad(const ArgmaxGradCall& call) {
  const auto& pool = call.positions.pool;
  cudaMemsetAsync(call.has_strays, 0, sizeof(uint32_t), call.stream);
  start_kernel(
      call.stream, blocks_for(pool.out_elements()), block_threads, find_strays_kernel, call);
  start_kernel(
      call.stream, blocks_for(pool.in_elements()), block_threads, argmax_grad_kernel<T>, call);
}

}  // namespace

LaunchArgmaxPool find_argmax_pool(Element element) {
  return choose<LaunchArgmaxPool>(
      NumberElements{}, element, [](auto zero) { return launch_pool<decltype(zero)>; });
}

LaunchArgmaxGrad find_argmax_grad(Element element) {
  return choose<LaunchArgmaxGrad>(
      NumberElements{}, element, [](auto zero) { return launch_grad<decltype(zero)>; });
}

void launch_argmax_gather(const ArgmaxGradCall& call, int size) {
  with_cell(size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(call.positions.pool.out_elements()), block_threads,
        argmax_gather_kernel<decltype(cell)>, call);
  });
}

}  // namespace troupe::cuda
