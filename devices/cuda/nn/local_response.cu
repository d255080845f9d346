#include "troupe/devices/cuda/nn/local_response.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/math/numbers.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// Calls f(element) for each channel near that of an element, itself among them.
template <class F>
__device__ void each_near(const LocalResponseCall& call, int64_t element, const F& f) {
  auto channel = element % call.channels, row = element - channel;
  auto first = channel > call.radius ? channel - call.radius : 0;
  auto last = channel + call.radius < call.channels ? channel + call.radius : call.channels - 1;
  for (auto c = first; c <= last; ++c) f(row + c);
}

/// What the power is taken of.
template <class T>
__device__ Wide<T> norm_of(const LocalResponseCall& call, int64_t element) {
  Wide<T> sum = 0;
  each_near(call, element, [&](int64_t near) {
    auto x = widen(static_cast<const T*>(call.x)[near]);
    sum += x * x;
  });
  return static_cast<Wide<T>>(call.bias) + static_cast<Wide<T>>(call.alpha) * sum;
}

/// norm^-beta. By logarithms, as CPUs compute it for floats, some powers are NaN for which pow()
/// has a number.
template <class A>
__device__ A inverse_power(A norm, float beta) {
  auto exponent = static_cast<A>(beta);
  if (exponent == A(0.5)) return A(1) / sqrt(norm);
  if (exponent == A(1)) return A(1) / norm;
  if constexpr (sizeof(A) == 4)
    if (auto logarithm = -exponent * log(norm); logarithm != logarithm) return logarithm;
  return pow(norm, -exponent);
}

template <class T>
__global__ void response_kernel(LocalResponseCall call) {
  for (auto i = first_item(); i < call.elements; i += item_step()) {
    auto power = inverse_power(norm_of<T>(call, i), call.beta);
    static_cast<T*>(call.out)[i] = Narrow<T>::of(widen(static_cast<const T*>(call.x)[i]) * power);
  }
}

template <class T>
__global__ void norms_kernel(LocalResponseCall call) {
  for (auto i = first_item(); i < call.elements; i += item_step())
    static_cast<Wide<T>*>(call.norms)[i] = norm_of<T>(call, i);
}

template <class T>
__global__ void response_grad_kernel(LocalResponseCall call) {
  using A = Wide<T>;
  const auto* norms = static_cast<const A*>(call.norms);
  auto at = [](const void* tensor, int64_t i) { return widen(static_cast<const T*>(tensor)[i]); };
  auto factor = A(-2) * static_cast<A>(call.alpha) * static_cast<A>(call.beta);
  for (auto i = first_item(); i < call.elements; i += item_step()) {
    // Of each output, in the derivatives by all squares.
    A sum = 0;
    each_near(call, i, [&](int64_t near) {
      sum += factor * at(call.dy, near) * at(call.y, near) / norms[near];
    });
    auto power = inverse_power(norms[i], call.beta);
    static_cast<T*>(call.out)[i] = Narrow<T>::of(at(call.dy, i) * power + sum * at(call.x, i));
  }
}

template <class T>
void launch(const LocalResponseCall& call) {
  auto start = [&](auto kernel) {
    start_kernel(call.stream, blocks_for(call.elements), block_threads, kernel, call);
  };
  if (!call.dy) return start(response_kernel<T>);
  start(norms_kernel<T>);
  start(response_grad_kernel<T>);
}

}  // namespace

LaunchLocalResponse find_local_response(Element element) {
  return choose<LaunchLocalResponse>(
      FloatingElements{}, element, [](auto zero) { return launch<decltype(zero)>; });
}

}  // namespace troupe::cuda
