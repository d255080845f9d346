#pragma once

#include "troupe/devices/cuda/index/strided_walk.hpp"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {

/// Neighbours that a thread reads or writes at once.
template <class T>
struct alignas(sizeof(T) * 4 > 16 ? 16 : sizeof(T) * 4) Pack {
  static constexpr int size = 4;
  T at[size];
};

template <class T>
__device__ bool is_packed(const T* memory) {
  return reinterpret_cast<uintptr_t>(memory) % alignof(Pack<T>) == 0;
}

/// out[i] = F(x[i]). The memory may be the same.
template <class F, class T, class R>
__global__ void unary_kernel(R* out, const T* x, int64_t count) {
  auto packs = is_packed(out) && is_packed(x) ? count / Pack<T>::size : 0;
  for (auto i = first_item(); i < packs; i += item_step()) {
    auto in = reinterpret_cast<const Pack<T>*>(x)[i];
    Pack<R> result;
#pragma unroll
    for (int k = 0; k < Pack<T>::size; ++k) result.at[k] = Narrow<R>::of(F{}(widen(in.at[k])));
    reinterpret_cast<Pack<R>*>(out)[i] = result;
  }
  for (auto i = packs * Pack<T>::size + first_item(); i < count; i += item_step())
    out[i] = Narrow<R>::of(F{}(widen(x[i])));
}

template <class T>
__device__ Pack<T> operand_pack(const T* operand, int64_t i, int step) {
  if (step != 0) return reinterpret_cast<const Pack<T>*>(operand)[i];
  Pack<T> all;
#pragma unroll
  for (int k = 0; k < Pack<T>::size; ++k) all.at[k] = *operand;
  return all;
}

/// out[i] = F(x[i], y[i]), where an operand with step 0 has one element for all. The memory of an
/// operand with step 1 may be the result's.
template <class F, class T, class R>
__global__ void binary_kernel(
    R* out, const T* x, const T* y, int x_step, int y_step, int64_t count) {
  auto aligned = is_packed(out) && (is_packed(x) || !x_step) && (is_packed(y) || !y_step);
  auto packs = aligned ? count / Pack<T>::size : 0;
  for (auto i = first_item(); i < packs; i += item_step()) {
    auto a = operand_pack(x, i, x_step), b = operand_pack(y, i, y_step);
    Pack<R> result;
#pragma unroll
    for (int k = 0; k < Pack<T>::size; ++k)
      result.at[k] = Narrow<R>::of(F{}(widen(a.at[k]), widen(b.at[k])));
    reinterpret_cast<Pack<R>*>(out)[i] = result;
  }
  for (auto i = packs * Pack<T>::size + first_item(); i < count; i += item_step())
    out[i] = Narrow<R>::of(F{}(widen(x[i * x_step]), widen(y[i * y_step])));
}

/// The same for operands that are broadcast in other ways.
template <class F, class T, class R>
__global__ void broadcast_kernel(R* out, const T* x, const T* y, StridedWalk<2> walk) {
  for (auto i = first_item(); i < walk.elements; i += item_step()) {
    auto offsets = walk.offsets(i);
    out[i] = Narrow<R>::of(F{}(widen(x[offsets.at[0]]), widen(y[offsets.at[1]])));
  }
}

/// The same for rows along which each operand lies side by side, or has one element for all.
template <class F, class T, class R>
__global__ void broadcast_rows_kernel(R* out, const T* x, const T* y, StridedWalk<2> walk) {
  auto width = walk.sizes[0].divisor(), rows = walk.elements / width;
  auto x_step = static_cast<int>(walk.strides[0].at[0]),
       y_step = static_cast<int>(walk.strides[0].at[1]);
  auto step = gridDim.x * int64_t{blockDim.y};
  for (auto row = blockIdx.x * int64_t{blockDim.y} + threadIdx.y; row < rows; row += step) {
    auto* to = out + row * width;
    const auto* a = x + row * walk.strides[1].at[0];
    const auto* b = y + row * walk.strides[1].at[1];
    auto aligned = is_packed(to) && (is_packed(a) || !x_step) && (is_packed(b) || !y_step);
    auto packs = aligned ? width / Pack<T>::size : 0;
    for (int64_t i = threadIdx.x; i < packs; i += blockDim.x) {
      auto p = operand_pack(a, i, x_step), q = operand_pack(b, i, y_step);
      Pack<R> result;
#pragma unroll
      for (int k = 0; k < Pack<T>::size; ++k)
        result.at[k] = Narrow<R>::of(F{}(widen(p.at[k]), widen(q.at[k])));
      reinterpret_cast<Pack<R>*>(to)[i] = result;
    }
    for (auto i = packs * Pack<T>::size + threadIdx.x; i < width; i += blockDim.x)
      to[i] = Narrow<R>::of(F{}(widen(a[i * x_step]), widen(b[i * y_step])));
  }
}

template <class F, class T, class R>
void launch_unary(void* out, const void* x, int64_t count, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count, 4 * block_threads), block_threads, unary_kernel<F, T, R>,
      static_cast<R*>(out), static_cast<const T*>(x), count);
}

template <class F, class T, class R>
void launch_pairwise(const BinaryCall& call) {
  start_kernel(
      call.stream, blocks_for(call.walk.elements, 4 * block_threads), block_threads,
      binary_kernel<F, T, R>, static_cast<R*>(call.out), static_cast<const T*>(call.x),
      static_cast<const T*>(call.y), 1, 1, call.walk.elements);
}

inline bool has_wide_rows(const StridedWalk<2>& walk) {
  auto is_step = [&](int i) { return walk.strides[0].at[i] == 0 || walk.strides[0].at[i] == 1; };
  return walk.rank == 2 && walk.sizes[0].divisor() >= 64 && is_step(0) && is_step(1);
}

template <class F, class T, class R>
void launch_binary(const BinaryCall& call) {
  const auto& walk = call.walk;
  auto* out = static_cast<R*>(call.out);
  const auto *x = static_cast<const T*>(call.x), *y = static_cast<const T*>(call.y);
  if (has_wide_rows(walk)) {
    dim3 threads(32, block_threads / 32);
    return start_kernel(
        call.stream, blocks_for(walk.elements / walk.sizes[0].divisor(), threads.y), threads,
        broadcast_rows_kernel<F, T, R>, out, x, y, walk);
  }
  if (walk.rank > 1)
    return start_kernel(
        call.stream, blocks_for(walk.elements), block_threads, broadcast_kernel<F, T, R>, out, x, y,
        walk);
  start_kernel(
      call.stream, blocks_for(walk.elements, 4 * block_threads), block_threads,
      binary_kernel<F, T, R>, out, x, y, static_cast<int>(walk.strides[0].at[0]),
      static_cast<int>(walk.strides[0].at[1]), walk.elements);
}

/// Of a function of much code: a thread has one element after the other, since more of it at once
/// would be large, not faster.
template <class F, class T, class R>
void launch_costly(const BinaryCall& call) {
  start_kernel(
      call.stream, blocks_for(call.walk.elements), block_threads, broadcast_kernel<F, T, R>,
      static_cast<R*>(call.out), static_cast<const T*>(call.x), static_cast<const T*>(call.y),
      call.walk);
}

#define TROUPE_FLOATING(launch, op)                        \
  {#op, Element::float32, launch<op, float, float>},       \
      {#op, Element::float64, launch<op, double, double>}, \
      {#op, Element::float16, launch<op, Half, Half>}, {   \
#op, Element::bfloat16, launch < op, Brain, Brain>     \
  }
#define TROUPE_NUMBERS(launch, op)                                                    \
  TROUPE_FLOATING(launch, op), {#op, Element::int32, launch<op, int32_t, int32_t>}, { \
#op, Element::int64, launch < op, int64_t, int64_t>                               \
  }
#define TROUPE_TESTS(launch, op)                          \
  {#op, Element::float32, launch<op, float, bool>},       \
      {#op, Element::float64, launch<op, double, bool>},  \
      {#op, Element::float16, launch<op, Half, bool>},    \
      {#op, Element::bfloat16, launch<op, Brain, bool>},  \
      {#op, Element::int32, launch<op, int32_t, bool>}, { \
#op, Element::int64, launch < op, int64_t, bool>      \
  }

}  // namespace troupe::cuda
