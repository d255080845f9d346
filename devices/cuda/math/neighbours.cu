#include "troupe/devices/cuda/math/neighbours.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class A>
__device__ auto product(A x, A y) {
  if constexpr (is_floating<A>) return rounded_product(x, y);
  else return wrap(x) * wrap(y);
}

template <class T>
__global__ void cross_kernel(CrossCall call) {
  for (auto i = first_item(); i < call.vectors; i += item_step()) {
    const auto* x = static_cast<const T*>(call.x) + 3 * i;
    const auto* y = static_cast<const T*>(call.y) + 3 * i;
    auto* out = static_cast<T*>(call.out) + 3 * i;
    auto minor = [&](int p, int q) {
      return Narrow<T>::of(product(widen(x[p]), widen(y[q])) - product(widen(x[q]), widen(y[p])));
    };
    out[0] = minor(1, 2);
    out[1] = minor(2, 0);
    out[2] = minor(0, 1);
  }
}

template <class T>
__global__ void bitpack_kernel(BitpackCall call) {
  auto threshold = widen(*static_cast<const T*>(call.threshold));
  for (auto i = first_item(); i < call.bytes; i += item_step()) {
    const auto* from = static_cast<const T*>(call.from) + 8 * i;
    unsigned bits = 0;
    for (int j = 0; j < 8; ++j) bits = bits << 1 | (widen(from[j]) > threshold ? 1 : 0);
    call.out[i] = static_cast<uint8_t>(bits);
  }
}

template <class T>
void cross(const CrossCall& call) {
  start_kernel(call.stream, blocks_for(call.vectors), block_threads, cross_kernel<T>, call);
}

template <class T>
void bitpack(const BitpackCall& call) {
  start_kernel(call.stream, blocks_for(call.bytes), block_threads, bitpack_kernel<T>, call);
}

}  // namespace

LaunchCross find_cross(Element element) {
  return choose<LaunchCross>(
      RealElements{}, element, [](auto zero) { return cross<decltype(zero)>; });
}

LaunchBitpack find_bitpack(Element element) {
  using Compared = Elements<bool, Half, float, double, int8_t, int16_t, int32_t, int64_t>;
  return choose<LaunchBitpack>(
      Compared{}, element, [](auto zero) { return bitpack<decltype(zero)>; });
}

}  // namespace troupe::cuda
