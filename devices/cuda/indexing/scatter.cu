#include "troupe/devices/cuda/indexing/scatter.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"

namespace troupe::cuda {
namespace {

__device__ void add_to(float* to, float by) { atomicAdd(to, by); }
__device__ void add_to(double* to, double by) { atomicAdd(to, by); }
__device__ void add_to(int32_t* to, int32_t by) { atomicAdd(to, by); }
__device__ void add_to(int64_t* to, int64_t by) {
  // Sums of integers with a sign have the same bits.
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(by));
}

__device__ int64_t position_of(const ScatterCall& call, int64_t slice) {
  return call.has_long_indices
             ? call.slices.position(static_cast<const int64_t*>(call.indices), slice)
             : call.slices.position(static_cast<const int32_t*>(call.indices), slice);
}

/// Calls change(place in the tensor, update) for each element of the slices.
template <class T, class F>
__device__ void each_update(const ScatterCall& call, const F& change) {
  const auto& slices = call.slices;
  auto step = gridDim.x * int64_t{blockDim.x};
  for (auto i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < slices.count * slices.size;
       i += step) {
    auto slice = i / slices.size;
    auto position = position_of(call, slice);
    if (position < 0 || (call.last && call.last[position] != slice)) continue;
    change(
        static_cast<T*>(call.to) + position * slices.size + i % slices.size,
        static_cast<const T*>(call.updates)[call.is_one_for_all ? 0 : i]);
  }
}

template <class T>
__global__ void scatter_sum_kernel(ScatterCall call, bool is_difference) {
  each_update<T>(
      call, [&](T* to, T by) { add_to(to, is_difference ? static_cast<T>(-wrap(by)) : by); });
}

__global__ void find_last_kernel(ScatterCall call) {
  auto step = gridDim.x * blockDim.x;
  for (auto slice = blockIdx.x * blockDim.x + threadIdx.x; slice < call.slices.count; slice += step) {
    auto position = position_of(call, slice);
    if (position >= 0) atomicMax(&call.last[position], static_cast<int32_t>(slice));
  }
}

template <class C>
__global__ void scatter_update_kernel(ScatterCall call) {
  each_update<C>(call, [](C* to, const C& by) { *to = by; });
}

template <class T, bool is_difference>
void launch(const ScatterCall& call) {
  scatter_sum_kernel<T>
      <<<blocks_for(call.slices.count * call.slices.size), block_threads, 0, call.stream>>>(
          call, is_difference);
}

template <bool is_difference>
LaunchScatter find(Element element) {
  switch (element) {
    case Element::float32: return launch<float, is_difference>;
    case Element::float64: return launch<double, is_difference>;
    case Element::int32: return launch<int32_t, is_difference>;
    case Element::int64: return launch<int64_t, is_difference>;
    default: return nullptr;
  }
}

}  // namespace

LaunchScatter find_scatter_sum(Element element, bool is_difference) {
  return is_difference ? find<true>(element) : find<false>(element);
}

void launch_scatter_update(const ScatterCall& call, int size) {
  if (call.last)
    find_last_kernel<<<blocks_for(call.slices.count), block_threads, 0, call.stream>>>(call);
  with_cell(size, [&](auto cell) {
    scatter_update_kernel<decltype(cell)>
        <<<blocks_for(call.slices.count * call.slices.size), block_threads, 0, call.stream>>>(call);
  });
}

}  // namespace troupe::cuda
