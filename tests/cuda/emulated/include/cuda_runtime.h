#pragma once

// What the kernels of devices/cuda use of CUDA C++, for the host's compiler: a kernel is a function,
// and its threads run one after the other (../blocks.hpp).

#include <cuda_runtime_api.h>

#include <tuple>
#include <utility>

#include "troupe/tests/cuda/emulated/blocks.hpp"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
/// A block has it to itself: the next one of the thread begins after its end.
#define __shared__ static thread_local

inline void __syncthreads() { troupe::emulated::wait_for_block(0); }
inline int __syncthreads_or(int flag) { return troupe::emulated::wait_for_block(flag); }
inline void __syncwarp(unsigned = 0xffffffff) { troupe::emulated::wait_for_warp(); }

template <class T>
T __shfl_xor_sync(unsigned, T value, int distance) {
  return troupe::emulated::exchange(value, [=](int lane) { return lane ^ distance; });
}
template <class T>
T __shfl_sync(unsigned, T value, int source) {
  return troupe::emulated::exchange(value, [=](int) { return source; });
}
template <class T>
T __shfl_up_sync(unsigned, T value, int distance) {
  return troupe::emulated::exchange(
      value, [=](int lane) { return lane < distance ? lane : lane - distance; });
}
template <class T>
T __shfl_down_sync(unsigned, T value, int distance) {
  return troupe::emulated::exchange(
      value, [=](int lane) { return lane + distance > 31 ? lane : lane + distance; });
}

// One thread runs all blocks of a kernel: nothing comes between what these read and write.
template <class T>
T atomicAdd(T* at, T by) {
  return std::exchange(*at, static_cast<T>(*at + by));
}
template <class T>
T atomicMin(T* at, T by) {
  return std::exchange(*at, by < *at ? by : *at);
}
template <class T>
T atomicMax(T* at, T by) {
  return std::exchange(*at, by > *at ? by : *at);
}
template <class T>
T atomicOr(T* at, T by) {
  return std::exchange(*at, *at | by);
}
template <class T>
T atomicCAS(T* at, T expected, T desired) {
  return std::exchange(*at, *at == expected ? desired : *at);
}

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(
    const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments&&... arguments) {
  std::tuple<Parameters...> kept(std::forward<Arguments>(arguments)...);
  return troupe::emulated::launch(
      *config, [kernel, kept = std::move(kept)] { std::apply(kernel, kept); });
}
