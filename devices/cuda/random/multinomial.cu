#include "troupe/devices/cuda/random/multinomial.hpp"

#include <cub/block/block_scan.cuh>

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/random/distributions.hpp"
#include "troupe/devices/cuda/reduction/folds.hpp"
#include "troupe/devices/cuda/reduction/lanes.cuh"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ bool is_finite(double x) { return x - x == 0.0; }

/// A block sets, for each class of a row, the weight of all classes up to it.
template <class T>
__global__ void add_up_kernel(MultinomialCall call) {
  using Scan = cub::BlockScan<double, block_threads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ double shared[warps_max];
  auto sum = [](double x, double y) { return x + y; };
  for (int64_t row = blockIdx.x; row < call.rows; row += gridDim.x) {
    const auto* logits = static_cast<const T*>(call.logits) + row * call.classes;
    auto logit = [&](int64_t i) { return static_cast<double>(widen(logits[i])); };
    auto greatest = Extremes<double>::least();
    for (int64_t i = threadIdx.x; i < call.classes; i += blockDim.x)
      if (is_finite(logit(i)) && logit(i) > greatest) greatest = logit(i);
    greatest = join_lanes(greatest, shared, [](double x, double y) { return x > y ? x : y; });
    double before = 0;
    for (int64_t first = 0; first < call.classes; first += block_threads) {
      auto i = first + threadIdx.x;
      auto weight = i < call.classes && is_finite(logit(i)) ? exp(logit(i) - greatest) : 0.0;
      double exclusive, all;
      Scan(storage).ExclusiveScan(weight, exclusive, 0.0, sum, all);
      if (i < call.classes) call.sums[row * call.classes + i] = before + (exclusive + weight);
      before += all;
      __syncthreads();
    }
  }
}

__global__ void sample_kernel(MultinomialCall call) {
  for (auto i = first_item(); i < call.rows * call.samples; i += item_step()) {
    const auto* sums = call.sums + i / call.samples * call.classes;
    auto bits = call.start.skip(static_cast<uint64_t>(i / 2)).block();
    auto share = i % 2 ? unit_double(bits.at[2], bits.at[3]) : unit_double(bits.at[0], bits.at[1]);
    auto value = share * sums[call.classes - 1];
    int64_t begin = 0, left = call.classes;
    while (left > 0) {
      auto half = left / 2;
      auto goes_on = !(value < sums[begin + half]);
      begin = goes_on ? begin + half + 1 : begin;
      left = goes_on ? left - half - 1 : half;
    }
    if (call.is_long) static_cast<int64_t*>(call.out)[i] = begin;
    else static_cast<int32_t*>(call.out)[i] = static_cast<int32_t>(begin);
  }
}

template <class T>
void launch(const MultinomialCall& call) {
  start_kernel(call.stream, blocks_for(call.rows, 1), block_threads, add_up_kernel<T>, call);
  start_kernel(
      call.stream, blocks_for(call.rows * call.samples), block_threads, sample_kernel, call);
}

}  // namespace

LaunchMultinomial find_multinomial(Element element) {
  return choose<LaunchMultinomial>(
      FloatingElements{}, element, [](auto zero) { return launch<decltype(zero)>; });
}

}  // namespace troupe::cuda
