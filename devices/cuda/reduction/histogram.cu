#include "troupe/devices/cuda/reduction/histogram.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/numbers.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

/// The bins that a block has counters of its own for, as many threads add to the same few.
constexpr int64_t block_bins = 2048;

/// What is to be added to which bin; to none below 0.
template <class Counter>
struct Addition {
  int64_t bin;
  Counter by;
};

/// Counters are integers without a sign, which wrap around: the order of additions does not matter.
template <class Counter, class AdditionOf>
__global__ void count_kernel(Counter* counts, int64_t bins, int64_t items, AdditionOf addition) {
  for (auto i = first_item(); i < items; i += item_step())
    if (auto [bin, by] = addition(i); bin >= 0) atomicAdd(&counts[bin], by);
}

template <class Counter, class AdditionOf>
__global__ void count_few_kernel(
    Counter* counts, int64_t bins, int64_t items, AdditionOf addition) {
  __shared__ Counter of_block[block_bins];
  for (int64_t bin = threadIdx.x; bin < bins; bin += blockDim.x) of_block[bin] = 0;
  __syncthreads();
  for (auto i = first_item(); i < items; i += item_step())
    if (auto [bin, by] = addition(i); bin >= 0) atomicAdd(&of_block[bin], by);
  __syncthreads();
  for (int64_t bin = threadIdx.x; bin < bins; bin += blockDim.x)
    if (of_block[bin] != 0) atomicAdd(&counts[bin], of_block[bin]);
}

template <class Counter, class AdditionOf>
void count(
    void* counts, int64_t bins, int64_t items, const AdditionOf& addition, cudaStream_t stream) {
  // Each block of the second kernel takes some more items, since it also goes through the bins.
  constexpr int64_t items_of_thread = 8;
  auto* counters = static_cast<Counter*>(counts);
  if (bins > block_bins)
    start_kernel(
        stream, blocks_for(items), block_threads, count_kernel<Counter, AdditionOf>, counters, bins,
        items, addition);
  else
    start_kernel(
        stream, blocks_for(items, items_of_thread * block_threads), block_threads,
        count_few_kernel<Counter, AdditionOf>, counters, bins, items, addition);
}

template <class Counter>
struct NumberAddition {
  const int32_t* numbers;
  const Counter* weights;
  int64_t bins;

  __device__ Addition<Counter> operator()(int64_t i) const {
    auto number = numbers[i];
    if (number < 0 || number >= bins) return {-1, 0};
    return {number, weights ? weights[i] : Counter{1}};
  }
};

/// How far a value lies above another one, which is not greater.
template <class T>
__device__ double distance_above(T low, T value) {
  if constexpr (is_floating<T>) return static_cast<double>(value) - static_cast<double>(low);
  else return static_cast<double>(static_cast<uint64_t>(value) - static_cast<uint64_t>(low));
}

template <class T, class Counter>
struct ValueAddition {
  const T* values;
  T low, high;
  double width;
  int64_t bins;

  __device__ Addition<Counter> operator()(int64_t i) const {
    auto value = values[i];
    if (value != value) return {-1, 0};
    // Before the division: of an infinite or tiny width it could be NaN or beyond any integer.
    if (value >= high) return {bins - 1, 1};
    auto bin = distance_above(low, value < low ? low : value) / width;
    return {bin < static_cast<double>(bins - 1) ? static_cast<int64_t>(bin) : bins - 1, 1};
  }
};

template <class Counter>
void bincount(const BincountCall& call) {
  NumberAddition<Counter> addition{
      call.numbers, static_cast<const Counter*>(call.weights), call.bins};
  count<Counter>(call.sums, call.bins, call.count, addition, call.stream);
}

template <class T, class Counter>
void histogram(const HistogramCall& call) {
  T low, high;
  memcpy(&low, &call.low, sizeof(T));
  memcpy(&high, &call.high, sizeof(T));
  ValueAddition<T, Counter> addition{
      static_cast<const T*>(call.values), low, high, call.width, call.bins};
  count<Counter>(call.counts, call.bins, call.count, addition, call.stream);
}

template <class T>
void histogram(const HistogramCall& call) {
  if (call.is_long) histogram<T, unsigned long long>(call);
  else histogram<T, unsigned>(call);
}

/// How many of descending numbers are greater than another one.
__device__ int64_t greater_than(const int32_t* numbers, int64_t count, int64_t than) {
  int64_t begin = 0, left = count;
  while (left > 0) {
    auto half = left / 2;
    auto goes_on = numbers[begin + half] > than;
    begin = goes_on ? begin + half + 1 : begin;
    left = goes_on ? left - half - 1 : half;
  }
  return begin;
}

/// The threads of a row of a block add up the weights of a bin.
template <class T>
__global__ void weight_sums_kernel(WeightSumsCall call) {
  __shared__ T shared[warps_max];
  const auto* weights = static_cast<const T*>(call.weights);
  auto step = gridDim.x * int64_t{blockDim.y};
  // All threads of a block take part in each round, as they wait for each other.
  for (auto base = blockIdx.x * int64_t{blockDim.y}; base < call.bins; base += step) {
    auto bin = base + threadIdx.y;
    auto begin = greater_than(call.numbers, call.count, bin);
    auto end = greater_than(call.numbers, call.count, bin - 1);
    T sum = 0;
    for (auto i = begin + threadIdx.x; i < end; i += blockDim.x) sum += weights[call.places[i]];
    sum = join_lanes(sum, shared, [](T x, T y) { return x + y; });
    if (threadIdx.x == 0 && bin < call.bins) static_cast<T*>(call.sums)[bin] = sum;
  }
}

template <class T>
void weight_sums(const WeightSumsCall& call) {
  auto threads = lanes_for(call.count);
  start_kernel(call.stream, blocks_for(call.bins, threads.y), threads, weight_sums_kernel<T>, call);
}

}  // namespace

void launch_bincount(const BincountCall& call) {
  if (call.is_long) bincount<unsigned long long>(call);
  else bincount<unsigned>(call);
}

void launch_weight_sums(const WeightSumsCall& call, Element element) {
  if (element == Element::float64) weight_sums<double>(call);
  else weight_sums<float>(call);
}

void launch_histogram(const HistogramCall& call, Element element) {
  switch (element) {
    case Element::int32: return histogram<int32_t>(call);
    case Element::int64: return histogram<int64_t>(call);
    case Element::float64: return histogram<double>(call);
    default: return histogram<float>(call);
  }
}

}  // namespace troupe::cuda
