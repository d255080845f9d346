#include "troupe/devices/cuda/nn/softmax.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// What the threads of a row know of it: the greatest logit, and the sum of e^(logit - greatest).
template <class A>
struct RowSum {
  A greatest, sum;
};

template <class T, class A>
__device__ RowSum<A> sum_row(const T* row, int64_t classes, A* shared) {
  auto greatest = Extremes<A>::least();
  for (int64_t i = threadIdx.x; i < classes; i += blockDim.x)
    greatest = FoldMaximum::join(greatest, widen(row[i]));
  greatest = join_lanes(greatest, shared, [](A x, A y) { return FoldMaximum::join(x, y); });
  A sum = 0;
  for (int64_t i = threadIdx.x; i < classes; i += blockDim.x) sum += exp(widen(row[i]) - greatest);
  return {greatest, join_lanes(sum, shared, [](A x, A y) { return x + y; })};
}

template <class T>
__global__ void softmax_kernel(
    T* out, const T* logits, int64_t rows, int64_t classes, bool is_log) {
  using A = Wide<T>;
  __shared__ A shared[warps_max];
  auto step = gridDim.x * int64_t{blockDim.y};
  // All threads of a block take part in each round, as they wait for each other.
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < rows; base += step) {
    auto row = base + threadIdx.y;
    auto has_row = row < rows;
    const auto* from = logits + (has_row ? row : 0) * classes;
    auto of_row = sum_row(from, classes, shared);
    if (!has_row) continue;
    auto* to = out + row * classes;
    auto log_sum = log(of_row.sum), factor = A(1) / of_row.sum;
    for (int64_t i = threadIdx.x; i < classes; i += blockDim.x) {
      auto shifted = widen(from[i]) - of_row.greatest;
      to[i] = Narrow<T>::of(is_log ? shifted - log_sum : exp(shifted) * factor);
    }
  }
}

/// The same of rows whose elements the threads keep: each has N of them at most.
template <int N, class T>
__global__ void small_softmax_kernel(
    T* out, const T* logits, int64_t rows, int64_t classes, bool is_log) {
  using A = Wide<T>;
  __shared__ A shared[warps_max];
  auto step = gridDim.x * int64_t{blockDim.y};
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < rows; base += step) {
    auto row = base + threadIdx.y;
    auto has_row = row < rows;
    const auto* from = logits + (has_row ? row : 0) * classes;
    A values[N];
    auto greatest = Extremes<A>::least();
#pragma unroll
    for (int k = 0; k < N; ++k) {
      auto i = threadIdx.x + k * blockDim.x;
      values[k] = i < classes ? widen(from[i]) : Extremes<A>::least();
    }
#pragma unroll
    for (int k = 0; k < N; ++k) greatest = FoldMaximum::join(greatest, values[k]);
    greatest = join_lanes(greatest, shared, [](A x, A y) { return FoldMaximum::join(x, y); });
    A sum = 0;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      values[k] -= greatest;
      auto power = exp(values[k]);
      if (threadIdx.x + k * blockDim.x < classes) sum += power;
      if (!is_log) values[k] = power;
    }
    sum = join_lanes(sum, shared, [](A x, A y) { return x + y; });
    auto log_sum = log(sum), factor = A(1) / sum;
    auto* to = out + row * classes;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      auto i = threadIdx.x + k * blockDim.x;
      if (has_row && i < classes)
        to[i] = Narrow<T>::of(is_log ? values[k] - log_sum : values[k] * factor);
    }
  }
}

/// The class that a row's label says, or -1 for one that there is none of.
__device__ int64_t class_of(const CrossEntropyCall& call, int64_t row) {
  auto label = call.kind == Labels::int64 ? static_cast<const int64_t*>(call.labels)[row]
                                          : static_cast<const int32_t*>(call.labels)[row];
  return label >= 0 && label < call.classes ? label : -1;
}

template <class T>
__global__ void cross_entropy_kernel(CrossEntropyCall call) {
  using A = Wide<T>;
  __shared__ A shared[warps_max];
  auto step = gridDim.x * int64_t{blockDim.y};
  auto is_dense = call.kind == Labels::dense;
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < call.rows; base += step) {
    auto has_row = base + threadIdx.y < call.rows;
    auto row = has_row ? base + threadIdx.y : 0;
    const auto* logits = static_cast<const T*>(call.logits) + row * call.classes;
    const auto* labels = static_cast<const T*>(call.labels) + (is_dense ? row * call.classes : 0);
    auto of_row = sum_row(logits, call.classes, shared);
    auto log_sum = log(of_row.sum);
    auto expected = is_dense ? -1 : class_of(call, row);
    A loss = expected < 0 ? static_cast<A>(bits_as<float>(0x7fc00000))
                          : log_sum - (widen(logits[expected]) - of_row.greatest);
    __syncthreads();  // before gradients are written over logits
    auto* gradients = static_cast<T*>(call.gradients) + row * call.classes;
    A dense_loss = 0;
    for (int64_t i = threadIdx.x; has_row && i < call.classes; i += blockDim.x) {
      auto shifted = widen(logits[i]) - of_row.greatest;
      A label = is_dense ? widen(labels[i]) : i == expected ? A(1) : A(0);
      if (!is_dense && expected < 0) label = loss;
      if (is_dense) dense_loss += label * (log_sum - shifted);
      gradients[i] = Narrow<T>::of(exp(shifted - log_sum) - label);
    }
    if (is_dense) loss = join_lanes(dense_loss, shared, [](A x, A y) { return x + y; });
    if (has_row && threadIdx.x == 0) static_cast<T*>(call.losses)[row] = Narrow<T>::of(loss);
  }
}

template <class T>
void softmax(const SoftmaxCall& call) {
  auto threads = lanes_for(call.classes);
  auto blocks = blocks_for(call.rows, threads.y);
  auto* out = static_cast<T*>(call.out);
  const auto* logits = static_cast<const T*>(call.logits);
  auto start = [&](auto kernel) {
    start_kernel(
        call.stream, blocks, threads, kernel, out, logits, call.rows, call.classes, call.is_log);
  };
  auto each = (call.classes + threads.x - 1) / threads.x;
  if (each <= 1) start(small_softmax_kernel<1, T>);
  else if (each <= 4) start(small_softmax_kernel<4, T>);
  else if (each <= 8) start(small_softmax_kernel<8, T>);
  else if (each <= 16) start(small_softmax_kernel<16, T>);
  else if (each <= 32) start(small_softmax_kernel<32, T>);
  else start(softmax_kernel<T>);
}

template <class T>
void cross_entropy(const CrossEntropyCall& call) {
  auto threads = lanes_for(call.classes);
  start_kernel(
      call.stream, blocks_for(call.rows, threads.y), threads, cross_entropy_kernel<T>, call);
}

}  // namespace

LaunchSoftmax find_softmax(Element element) {
  return choose<LaunchSoftmax>(
      FloatingElements{}, element, [](auto zero) { return softmax<decltype(zero)>; });
}

LaunchCrossEntropy find_cross_entropy(Element element) {
  return choose<LaunchCrossEntropy>(
      FloatingElements{}, element, [](auto zero) { return cross_entropy<decltype(zero)>; });
}

}  // namespace troupe::cuda
