#pragma once

// What devices/cuda calls of cuSOLVER, for a build without it: names, values and meaning are
// cuSOLVER's (its API reference). ../solver_calls.cpp decomposes on the host.

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>

enum cusolverStatus_t {
  CUSOLVER_STATUS_SUCCESS = 0,
  CUSOLVER_STATUS_NOT_INITIALIZED = 1,
  CUSOLVER_STATUS_ALLOC_FAILED = 2,
  CUSOLVER_STATUS_INVALID_VALUE = 3,
  CUSOLVER_STATUS_EXECUTION_FAILED = 6,
  CUSOLVER_STATUS_NOT_SUPPORTED = 9,
};
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR = 0, CUSOLVER_EIG_MODE_VECTOR = 1 };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 };
using cudaDataType = cudaDataType_t;

namespace troupe::emulated {
struct Solver;
struct SolverParameters;
}  // namespace troupe::emulated
using cusolverDnHandle_t = troupe::emulated::Solver*;
using cusolverDnParams_t = troupe::emulated::SolverParameters*;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* parameters);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t parameters);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream);

cusolverStatus_t cusolverDnXpotrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, cublasFillMode_t half, int64_t n,
    cudaDataType type, const void* a, int64_t stride, cudaDataType computed, size_t* on_card,
    size_t* on_host);
cusolverStatus_t cusolverDnXpotrf(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, cublasFillMode_t half, int64_t n,
    cudaDataType type, void* a, int64_t stride, cudaDataType computed, void* card_work,
    size_t card_bytes, void* host_work, size_t host_bytes, int* info);

cusolverStatus_t cusolverDnXgetrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, int64_t m, int64_t n,
    cudaDataType type, const void* a, int64_t stride, cudaDataType computed, size_t* on_card,
    size_t* on_host);
cusolverStatus_t cusolverDnXgetrf(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, int64_t m, int64_t n,
    cudaDataType type, void* a, int64_t stride, int64_t* exchanges, cudaDataType computed,
    void* card_work, size_t card_bytes, void* host_work, size_t host_bytes, int* info);

cusolverStatus_t cusolverDnXgeqrf_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, int64_t m, int64_t n,
    cudaDataType type, const void* a, int64_t stride, cudaDataType factor_type,
    const void* factors, cudaDataType computed, size_t* on_card, size_t* on_host);
cusolverStatus_t cusolverDnXgeqrf(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, int64_t m, int64_t n,
    cudaDataType type, void* a, int64_t stride, cudaDataType factor_type, void* factors,
    cudaDataType computed, void* card_work, size_t card_bytes, void* host_work, size_t host_bytes,
    int* info);

cusolverStatus_t cusolverDnXsyevd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, cusolverEigMode_t mode,
    cublasFillMode_t half, int64_t n, cudaDataType type, const void* a, int64_t stride,
    cudaDataType value_type, const void* values, cudaDataType computed, size_t* on_card,
    size_t* on_host);
cusolverStatus_t cusolverDnXsyevd(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, cusolverEigMode_t mode,
    cublasFillMode_t half, int64_t n, cudaDataType type, void* a, int64_t stride,
    cudaDataType value_type, void* values, cudaDataType computed, void* card_work,
    size_t card_bytes, void* host_work, size_t host_bytes, int* info);

cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, signed char of_u, signed char of_v,
    int64_t m, int64_t n, cudaDataType type, const void* a, int64_t stride,
    cudaDataType value_type, const void* values, cudaDataType u_type, const void* u,
    int64_t u_stride, cudaDataType v_type, const void* v, int64_t v_stride, cudaDataType computed,
    size_t* on_card, size_t* on_host);
cusolverStatus_t cusolverDnXgesvd(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, signed char of_u, signed char of_v,
    int64_t m, int64_t n, cudaDataType type, void* a, int64_t stride, cudaDataType value_type,
    void* values, cudaDataType u_type, void* u, int64_t u_stride, cudaDataType v_type, void* v,
    int64_t v_stride, cudaDataType computed, void* card_work, size_t card_bytes, void* host_work,
    size_t host_bytes, int* info);
