#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "troupe/devices/cuda/math/complex.hpp"

namespace troupe::cuda {

/// Multiplies numbers in place.
void launch_scale(float* numbers, int64_t count, double factor, cudaStream_t stream);
void launch_scale(double* numbers, int64_t count, double factor, cudaStream_t stream);

/// The halves of spectra along the last axis, blocks in row-major order of the sizes `given`; the
/// first elements of an outer axis are transformed, and `lengths` reals along the last one are
/// made.
struct HalfSpectra {
  Complex64* numbers;
  int64_t count;
  int64_t given[3], lengths[3];
  cudaStream_t stream;
};

/// Makes them halves of spectra of reals, in place: where the mirror image of an element is in the
/// half itself, both become the mean of one and the conjugated other. Transforms along each axis
/// alone give the same reals before and after; cuFFT's of all axes takes other spectra for what
/// they are not.
void launch_make_hermitian(const HalfSpectra& spectra);

}  // namespace troupe::cuda
