#include "troupe/devices/cuda/indexing/bounds.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/math/numbers.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class T>
__global__ void bounds_kernel(BoundsCall call) {
  for (auto i = first_item(); i < call.rows * call.count; i += item_step()) {
    const auto* row = static_cast<const T*>(call.sorted) + i / call.count * call.size;
    auto value = widen(static_cast<const T*>(call.values)[i]);
    int64_t begin = 0, left = call.size;
    while (left > 0) {
      auto half = left / 2;
      auto element = widen(row[begin + half]);
      auto goes_on = call.is_lower ? element < value : !(value < element);
      begin = goes_on ? begin + half + 1 : begin;
      left = goes_on ? left - half - 1 : half;
    }
    if (call.is_long) static_cast<int64_t*>(call.out)[i] = begin;
    else static_cast<int32_t*>(call.out)[i] = static_cast<int32_t>(begin);
  }
}

template <class T>
void launch(const BoundsCall& call) {
  start_kernel(
      call.stream, blocks_for(call.rows * call.count), block_threads, bounds_kernel<T>, call);
}

template <class T>
__global__ void buckets_kernel(BucketsCall call) {
  for (auto i = first_item(); i < call.count; i += item_step()) {
    auto value = static_cast<double>(static_cast<const T*>(call.values)[i]);
    int begin = 0, left = call.boundary_count;
    while (left > 0) {
      auto half = left / 2;
      // NaN is behind all, as on CPUs.
      auto goes_on = !(value < static_cast<double>(call.boundaries[begin + half]));
      begin = goes_on ? begin + half + 1 : begin;
      left = goes_on ? left - half - 1 : half;
    }
    call.out[i] = call.adds ? call.out[i] + begin : begin;
  }
}

template <class T>
void launch_buckets(const BucketsCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, buckets_kernel<T>, call);
}

}  // namespace

LaunchBounds find_bounds(Element element) {
  return choose<LaunchBounds>(
      NumberElements{}, element, [](auto zero) { return launch<decltype(zero)>; });
}

LaunchBuckets find_buckets(Element element) {
  return choose<LaunchBuckets>(Elements<int32_t, int64_t, float, double>{}, element, [](auto zero) {
    return launch_buckets<decltype(zero)>;
  });
}

}  // namespace troupe::cuda
