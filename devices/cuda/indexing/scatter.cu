#include "troupe/devices/cuda/indexing/scatter.hpp"

#include "troupe/devices/cuda/cells.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

// Beside the folds of reductions, what an element x becomes by an update.
struct Difference {
  template <class A>
  __device__ static A join(A x, A by) {
    return static_cast<A>(wrap(x) - wrap(by));
  }
};
struct Quotient {
  template <class A>
  __device__ static A join(A x, A by) {
    return x / by;
  }
};

template <int size>
struct BitsOf;
template <>
struct BitsOf<2> {
  using type = unsigned short;
};
template <>
struct BitsOf<4> {
  using type = unsigned int;
};
template <>
struct BitsOf<8> {
  using type = unsigned long long;
};

/// Joins an update with *to, whatever other threads do with it.
template <class F, class T>
__device__ void fold_into(F, T* to, T by) {
  using Bits = typename BitsOf<sizeof(T)>::type;
  auto* at = reinterpret_cast<Bits*>(to);
  auto now = *at;
  while (true) {
    auto next = Narrow<T>::of(F::join(widen(bits_as<T>(now)), widen(by)));
    auto before = atomicCAS(at, now, bits_as<Bits>(next));
    if (before == now) return;
    now = before;
  }
}
// What cards do by one instruction.
__device__ void fold_into(FoldSum, float* to, float by) { atomicAdd(to, by); }
__device__ void fold_into(FoldSum, double* to, double by) { atomicAdd(to, by); }
__device__ void fold_into(FoldSum, int32_t* to, int32_t by) { atomicAdd(to, by); }
__device__ void fold_into(Difference, float* to, float by) { atomicAdd(to, -by); }
__device__ void fold_into(Difference, double* to, double by) { atomicAdd(to, -by); }
__device__ void fold_into(FoldMinimum, int32_t* to, int32_t by) { atomicMin(to, by); }
__device__ void fold_into(FoldMaximum, int32_t* to, int32_t by) { atomicMax(to, by); }
__device__ void fold_into(FoldSum, int64_t* to, int64_t by) {
  // Sums of integers with a sign have the same bits.
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(by));
}
template <class F, class R>
__device__ void fold_into(F, complex_numbers::Complex<R>* to, complex_numbers::Complex<R> by) {
  // Parts of sums do not depend on each other.
  fold_into(F{}, &to->real, by.real);
  fold_into(F{}, &to->imag, by.imag);
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
  for (auto i = first_item(); i < slices.count * slices.size; i += item_step()) {
    auto slice = i / slices.size;
    auto position = position_of(call, slice);
    if (position < 0 || (call.last && call.last[position] != slice)) continue;
    change(
        static_cast<T*>(call.to) + position * slices.size + i % slices.size,
        static_cast<const T*>(call.updates)[call.is_one_for_all ? 0 : i]);
  }
}

template <class F, class T>
__global__ void scatter_kernel(ScatterCall call) {
  each_update<T>(call, [](T* to, T by) { fold_into(F{}, to, by); });
}

__global__ void find_last_kernel(ScatterCall call) {
  auto step = gridDim.x * blockDim.x;
  for (auto slice = blockIdx.x * blockDim.x + threadIdx.x; slice < call.slices.count;
       slice += step) {
    auto position = position_of(call, slice);
    if (position >= 0) atomicMax(&call.last[position], static_cast<int32_t>(slice));
  }
}

template <class C>
__global__ void scatter_update_kernel(ScatterCall call) {
  each_update<C>(call, [](C* to, const C& by) { *to = by; });
}

template <class F, class T>
void launch(const ScatterCall& call) {
  start_kernel(
      call.stream, blocks_for(call.slices.count * call.slices.size), block_threads,
      scatter_kernel<F, T>, call);
}

template <class F, class Types = NumberElements>
LaunchScatter find(Element element) {
  return choose<LaunchScatter>(
      Types{}, element, [](auto zero) { return launch<F, decltype(zero)>; });
}

bool is_integer(Element element) { return element == Element::int32 || element == Element::int64; }

}  // namespace

LaunchScatter find_scatter(Element element, ScatterRule rule) {
  switch (rule) {
    case ScatterRule::add: return find<FoldSum, NumericElements>(element);
    case ScatterRule::subtract: return find<Difference, NumericElements>(element);
    case ScatterRule::multiply: return find<FoldProduct>(element);
    case ScatterRule::minimum: return find<FoldMinimum>(element);
    case ScatterRule::maximum: return find<FoldMaximum>(element);
    // A kernel cannot refuse a divisor of 0.
    case ScatterRule::divide: return is_integer(element) ? nullptr : find<Quotient>(element);
  }
  return nullptr;
}

void launch_scatter_update(const ScatterCall& call, int size) {
  if (call.last)
    start_kernel(call.stream, blocks_for(call.slices.count), block_threads, find_last_kernel, call);
  with_cell(size, [&](auto cell) {
    start_kernel(
        call.stream, blocks_for(call.slices.count * call.slices.size), block_threads,
        scatter_update_kernel<decltype(cell)>, call);
  });
}

}  // namespace troupe::cuda
