#include "troupe/devices/cuda/quantization/quantize_and_dequantize.hpp"

#include <algorithm>

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// A block finds a pair, and each thread of a block reads one of them.
constexpr int64_t pairs_max = block_threads;
/// As every block looks at all pairs, each thread takes some more elements.
constexpr int64_t items_of_thread = 8;

template <class A>
__device__ A lesser(A x, A y) {
  return y < x ? y : x;
}
template <class A>
__device__ A greater(A x, A y) {
  return y > x ? y : x;
}

/// Sets lows[block] and highs[block] to the least and the greatest number, without NaN, among what
/// the block's threads take.
template <class T>
__global__ void extremes_kernel(Wide<T>* lows, Wide<T>* highs, const T* x, int64_t count) {
  using A = Wide<T>;
  __shared__ A shared[warps_max];
  auto low = Extremes<A>::greatest(), high = Extremes<A>::least();
  for (auto i = first_item(); i < count; i += item_step()) {
    auto number = widen(x[i]);
    low = lesser(low, number);
    high = greater(high, number);
  }
  low = join_lanes(low, shared, [](A a, A b) { return lesser(a, b); });
  high = join_lanes(high, shared, [](A a, A b) { return greater(a, b); });
  if (threadIdx.x != 0) return;
  lows[blockIdx.x] = low;
  highs[blockIdx.x] = high;
}

template <class T>
__device__ void scale_elements(
    T* out, const T* x, int64_t count, const cpu::Scaling<Wide<T>>& by, bool rounds_half_up) {
  using A = Wide<T>;
  for (auto i = first_item(); i < count; i += item_step()) {
    auto number = widen(x[i]);
    auto limited = by.high < number ? by.high : number;  // NaN stays
    limited = by.low > limited ? by.low : limited;
    auto scaled = rounded_product(limited, by.scale);
    auto integer = rounds_half_up ? floor(scaled + A(0.5)) : rint(scaled);
    out[i] = Narrow<T>::of(integer * by.inverse);
  }
}

template <class T>
__global__ void scale_kernel(
    T* out, const T* x, int64_t count, cpu::Scaling<Wide<T>> by, bool rounds_half_up) {
  scale_elements(out, x, count, by, rounds_half_up);
}

/// The same by the range of all pairs, which all elements are in.
template <class T>
__global__ void scale_by_extremes_kernel(
    T* out, const T* x, int64_t count, const Wide<T>* lows, const Wide<T>* highs, int64_t pairs,
    cpu::IntegerRange integers, bool rounds_half_up) {
  using A = Wide<T>;
  __shared__ A shared[warps_max];
  auto has_pair = threadIdx.x < pairs;
  auto low = has_pair ? lows[threadIdx.x] : Extremes<A>::greatest();
  auto high = has_pair ? highs[threadIdx.x] : Extremes<A>::least();
  low = join_lanes(low, shared, [](A a, A b) { return lesser(a, b); });
  high = join_lanes(high, shared, [](A a, A b) { return greater(a, b); });
  auto by = cpu::Scaling<A>::of(low, high, integers);
  by.low = Extremes<A>::least();
  by.high = Extremes<A>::greatest();
  scale_elements(out, x, count, by, rounds_half_up);
}

template <class T>
void scale(const ScaleCall& call) {
  using A = Wide<T>;
  auto* out = static_cast<T*>(call.out);
  const auto* x = static_cast<const T*>(call.x);
  if (!call.pairs) {
    auto by = cpu::Scaling<A>::of(
        static_cast<A>(call.low), static_cast<A>(call.high), call.integers);
    start_kernel(
        call.stream, blocks_for(call.count), block_threads, scale_kernel<T>, out, x, call.count, by,
        call.rounds_half_up);
    return;
  }
  auto pairs = extreme_pairs_of(call.count);
  auto* lows = static_cast<A*>(call.pairs);
  auto* highs = lows + pairs;
  start_kernel(
      call.stream, static_cast<unsigned>(pairs), block_threads, extremes_kernel<T>, lows, highs, x,
      call.count);
  start_kernel(
      call.stream, blocks_for(call.count, items_of_thread * block_threads), block_threads,
      scale_by_extremes_kernel<T>, out, x, call.count, lows, highs, pairs, call.integers,
      call.rounds_half_up);
}

}  // namespace

int64_t extreme_pairs_of(int64_t count) {
  return std::min<int64_t>(blocks_for(count, items_of_thread * block_threads), pairs_max);
}

LaunchScale find_scale(Element element) {
  return choose<LaunchScale>(
      FloatingElements{}, element, [](auto zero) { return scale<decltype(zero)>; });
}

}  // namespace troupe::cuda
