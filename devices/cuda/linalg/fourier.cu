#include "troupe/devices/cuda/linalg/fourier.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class T>
__global__ void scale_kernel(T* numbers, int64_t count, T factor) {
  for (auto i = first_item(); i < count; i += item_step()) numbers[i] *= factor;
}

template <class T>
void launch(T* numbers, int64_t count, double factor, cudaStream_t stream) {
  start_kernel(
      stream, blocks_for(count), block_threads, scale_kernel<T>, numbers, count,
      static_cast<T>(factor));
}

}  // namespace

void launch_scale(float* numbers, int64_t count, double factor, cudaStream_t stream) {
  launch(numbers, count, factor, stream);
}
void launch_scale(double* numbers, int64_t count, double factor, cudaStream_t stream) {
  launch(numbers, count, factor, stream);
}

}  // namespace troupe::cuda
