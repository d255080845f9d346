#pragma once

// What devices/cuda calls of cuFFT, for a build without it: names, values and meaning are cuFFT's
// (its API reference). ../fourier_calls.cpp computes the transforms on the host.

#include <cstddef>

#include "troupe/tests/cuda/emulated/include/cuda_runtime_api.h"

constexpr int CUFFT_VER_MAJOR = 12;

enum cufftResult {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_INVALID_SIZE = 8,
  CUFFT_NO_WORKSPACE = 13,
  CUFFT_NOT_SUPPORTED = 16,
};
enum cufftType {
  CUFFT_C2C = 0x29,
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_Z2Z = 0x69,
};
constexpr int CUFFT_FORWARD = -1, CUFFT_INVERSE = 1;

using cufftHandle = int;
using cufftReal = float;
struct cufftComplex {
  float x, y;
};
struct cufftDoubleComplex {
  double x, y;
};

cufftResult cufftCreate(cufftHandle* plan);
cufftResult cufftDestroy(cufftHandle plan);
cufftResult cufftSetAutoAllocation(cufftHandle plan, int allocates);
cufftResult cufftMakePlanMany64(
    cufftHandle plan, int axes, long long* lengths, long long* given, long long given_stride,
    long long given_distance, long long* made, long long made_stride, long long made_distance,
    cufftType type, long long count, size_t* work_bytes);
cufftResult cufftSetStream(cufftHandle plan, cudaStream_t stream);
cufftResult cufftSetWorkArea(cufftHandle plan, void* work);
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction);
cufftResult cufftExecZ2Z(
    cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction);
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out);
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out);
