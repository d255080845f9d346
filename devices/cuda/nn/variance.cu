#include "troupe/devices/cuda/nn/variance.hpp"

#include "troupe/devices/cuda/launch_size.hpp"

namespace troupe::cuda {
namespace {

template <class T>
__global__ void variance_kernel(
    T* out, const T* from, bool to_variance, double epsilon, int64_t count) {
  auto step = gridDim.x * int64_t{blockDim.x};
  for (auto i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += step) {
    auto number = static_cast<double>(from[i]);
    out[i] =
        static_cast<T>(to_variance ? 1 / (number * number) - epsilon : 1 / sqrt(number + epsilon));
  }
}

template <class T>
void launch(const VarianceCall& call) {
  variance_kernel<<<blocks_for(call.count), block_threads, 0, call.stream>>>(
      static_cast<T*>(call.out), static_cast<const T*>(call.from), call.to_variance, call.epsilon,
      call.count);
}

}  // namespace

void launch_variance(const VarianceCall& call) {
  if (call.element == Element::float64) launch<double>(call);
  else launch<float>(call);
}

}  // namespace troupe::cuda
