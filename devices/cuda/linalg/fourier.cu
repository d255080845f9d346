#include "troupe/devices/cuda/linalg/fourier.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

template <class T>
__global__ void scale_kernel(T* numbers, int64_t count, T factor) {
  for (auto i = first_item(); i < count; i += item_step()) numbers[i] *= factor;
}

__global__ void make_hermitian_kernel(HalfSpectra spectra, int64_t count) {
  const auto *given = spectra.given, *lengths = spectra.lengths;
  auto planes = 2 - lengths[2] % 2;
  for (auto item = first_item(); item < count; item += item_step()) {
    auto block = item / (lengths[0] * lengths[1]);
    auto k0 = item / lengths[1] % lengths[0], k1 = item % lengths[1];
    auto mirror0 = (lengths[0] - k0) % lengths[0], mirror1 = (lengths[1] - k1) % lengths[1];
    // One thread of a pair sets both.
    if (k0 > mirror0 || (k0 == mirror0 && k1 > mirror1)) continue;
    auto* numbers = spectra.numbers + block / planes * given[0] * given[1] * given[2] +
                    block % planes * (lengths[2] / 2);
    auto& one = numbers[(k0 * given[1] + k1) * given[2]];
    auto& mirror = numbers[(mirror0 * given[1] + mirror1) * given[2]];
    auto real = 0.5f * one.real + 0.5f * mirror.real, imag = 0.5f * one.imag - 0.5f * mirror.imag;
    one = {real, imag};
    mirror = {real, -imag};
  }
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

void launch_make_hermitian(const HalfSpectra& spectra) {
  const auto* lengths = spectra.lengths;
  auto count = spectra.count * (2 - lengths[2] % 2) * lengths[0] * lengths[1];
  start_kernel(
      spectra.stream, blocks_for(count), block_threads, make_hermitian_kernel, spectra, count);
}

}  // namespace troupe::cuda
