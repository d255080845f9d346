#pragma once

#include <cuda_runtime.h>

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

// Elements as they are computed, by their number.
template <class T>
__device__ Wide<T> read_element(const void* from, int64_t at) {
  return widen(static_cast<const T*>(from)[at]);
}
template <class T>
__device__ void write_element(void* to, int64_t at, Wide<T> value) {
  static_cast<T*>(to)[at] = Narrow<T>::of(value);
}
/// What lies in memory as it is computed.
template <class T>
__device__ Wide<T> read_wide(const void* from, int64_t at) {
  return static_cast<const Wide<T>*>(from)[at];
}

template <class A>
__device__ A sigmoid(A x) {
  return A(1) / (A(1) + exp(-x));
}

}  // namespace troupe::cuda
