#include "troupe/devices/cuda/nn/variance.hpp"

#include <cmath>

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class T>
__global__ void variance_kernel(
    T* out, const T* from, bool to_variance, double epsilon, int64_t count) {
  for (auto i = first_item(); i < count; i += item_step()) {
    auto number = static_cast<double>(from[i]);
    out[i] =
        static_cast<T>(to_variance ? 1 / (number * number) - epsilon : 1 / sqrt(number + epsilon));
  }
}

template <class T>
void launch(const VarianceCall& call) {
  start_kernel(
      call.stream, blocks_for(call.count), block_threads, variance_kernel<T>,
      static_cast<T*>(call.out), static_cast<const T*>(call.from), call.to_variance, call.epsilon,
      call.count);
}

}  // namespace

void launch_variance(const VarianceCall& call) {
  if (call.element == Element::float64) launch<double>(call);
  else launch<float>(call);
}

}  // namespace troupe::cuda
