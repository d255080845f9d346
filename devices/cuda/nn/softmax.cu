#include "troupe/devices/cuda/nn/softmax.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/nn/softmax.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// The threads of a row: those of a warp, of which a block has several, or all of a block.
constexpr int block_of(int threads) { return threads == warp_lanes ? 8 * warp_lanes : threads; }

/// Rows whose elements the threads keep: each has N vectors of them. A thread has 64 registers at
/// most so that 1024 run at once: the more they are, the more memory is on its way.
template <int N, int threads, class T>
__global__ void __launch_bounds__(block_of(threads), 1024 / block_of(threads))
    kept_softmax_kernel(SoftmaxCall call, RowAlignment alignment) {
  using A = Wide<T>;
  constexpr int size = VectorRow<T>::size;
  __shared__ A shared[warps_max];
  const auto thread = static_cast<int>(threadIdx.x);
  auto step = gridDim.x * int64_t{blockDim.y};
  // All threads of a block take part in each round, as they wait for each other.
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < call.rows; base += step) {
    auto index = base + threadIdx.y;
    auto has_row = index < call.rows;
    auto first = has_row ? index * call.classes : 0;
    VectorRow<T> row(static_cast<const T*>(call.logits) + first, has_row ? call.classes : 0);
    A values[N][size];
    auto greatest = Extremes<A>::least();
    if (alignment.is_whole) {
#pragma unroll
      for (int k = 0; k < N; ++k) row.read_whole(thread + k * threads, values[k]);
    } else {
#pragma unroll
      for (int k = 0; k < N; ++k) row.read(thread + k * threads, values[k]);
    }
#pragma unroll
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < size; ++i) greatest = greater_of(greatest, values[k][i]);
    greatest = join_lanes(greatest, shared, [](A x, A y) { return greater_of(x, y); });
    A sum = 0;
#pragma unroll
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < size; ++i) {
        auto shifted = values[k][i] - greatest, power = exp(shifted);
        sum += power;  // outside of the row it is 0
        values[k][i] = call.is_log ? shifted : power;
      }
    sum = join_lanes(sum, shared, [](A x, A y) { return x + y; });
    auto log_sum = call.is_log ? log(sum) : A(0), factor = call.is_log ? A(1) : A(1) / sum;
    auto* to = static_cast<T*>(call.out) + first;
#pragma unroll
    for (int k = 0; k < N; ++k) {
      for (auto& value : values[k]) value = call.is_log ? value - log_sum : value * factor;
      if (alignment.is_whole) row.write_whole(to, thread + k * threads, values[k]);
      else row.write(to, alignment.is_alike, thread + k * threads, values[k]);
    }
  }
}

/// Longer rows, each by a block: they are read twice.
template <class T>
__global__ void __launch_bounds__(1024) softmax_kernel(SoftmaxCall call, RowAlignment alignment) {
  using A = Wide<T>;
  constexpr int size = VectorRow<T>::size;
  __shared__ A shared[warps_max];
  for (int64_t index = blockIdx.x; index < call.rows; index += gridDim.x) {
    VectorRow<T> row(static_cast<const T*>(call.logits) + index * call.classes, call.classes);
    auto of_row = sum_row(row, shared);
    auto* to = static_cast<T*>(call.out) + index * call.classes;
    auto log_sum = log(of_row.sum), factor = A(1) / of_row.sum;
    for (int64_t i = threadIdx.x; i < row.vectors(); i += blockDim.x) {
      A values[size];
      row.read(i, values);
      for (auto& value : values) {
        auto shifted = value - of_row.greatest;
        value = call.is_log ? shifted - log_sum : exp(shifted) * factor;
      }
      row.write(to, alignment.is_alike, i, values);
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
    auto of_row = sum_row(VectorRow<T>(logits, call.classes), shared);
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
  constexpr int size = RowVector<T>::size;
  constexpr int most = size == 4 ? 8 : 4;  // of a thread, in 32 registers at most
  auto alignment = RowAlignment::of(
      static_cast<const T*>(call.logits), static_cast<const T*>(call.out), call.classes);
  // Rows that begin within a vector may have parts of one more.
  auto vectors = (call.classes + size - 1) / size + (alignment.is_whole ? 0 : 1);
  auto start = [&](auto kernel, dim3 threads) {
    start_kernel(
        call.stream, blocks_for(call.rows, threads.y), threads, kernel, call, alignment);
  };
  constexpr int warp = warp_lanes;
  const dim3 of_warps(warp, 8);
  if (vectors <= warp) start(kept_softmax_kernel<1, warp, T>, of_warps);
  else if (vectors <= 2 * warp) start(kept_softmax_kernel<2, warp, T>, of_warps);
  else if (vectors <= 4 * warp) start(kept_softmax_kernel<4, warp, T>, of_warps);
  else if (vectors <= most * warp) start(kept_softmax_kernel<most, warp, T>, of_warps);
  else if (vectors <= most / 2 * 256) start(kept_softmax_kernel<most / 2, 256, T>, 256);
  else if (vectors <= most * 256) start(kept_softmax_kernel<most, 256, T>, 256);
  else if (vectors <= most * 1024) start(kept_softmax_kernel<most, 1024, T>, 1024);
  else start(softmax_kernel<T>, 1024);
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
