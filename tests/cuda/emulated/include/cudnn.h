#pragma once

// What devices/cuda calls of cuDNN, for a build without it: names and meaning are cuDNN's (its API
// reference), the numbers are not. ../dnn_convolutions.cpp and ../dnn_normalization.cpp compute on
// the host.

#include <cstdint>

#include "troupe/tests/cuda/emulated/include/cuda_runtime_api.h"

namespace troupe::emulated {
struct DnnHandle;
struct DnnTensor;
struct DnnPartHolder;
}  // namespace troupe::emulated

using cudnnHandle_t = troupe::emulated::DnnHandle*;
using cudnnTensorDescriptor_t = troupe::emulated::DnnTensor*;
using cudnnBackendDescriptor_t = troupe::emulated::DnnPartHolder*;

enum cudnnStatus_t {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_NOT_SUPPORTED = 3000,
};
enum cudnnDataType_t {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_BFLOAT16 = 9,
};
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW, CUDNN_TENSOR_NHWC };
enum cudnnBatchNormMode_t { CUDNN_BATCHNORM_SPATIAL = 1 };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION, CUDNN_CROSS_CORRELATION };

const char* cudnnGetErrorString(cudnnStatus_t status);
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream);

// -- tensors and batch normalization

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor);
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor);
cudnnStatus_t cudnnSetTensor4dDescriptor(
    cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t format, cudnnDataType_t type, int batch,
    int channels, int height, int width);
cudnnStatus_t cudnnDeriveBNTensorDescriptor(
    cudnnTensorDescriptor_t derived, cudnnTensorDescriptor_t images, cudnnBatchNormMode_t mode);
cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
    cudnnTensorDescriptor_t of_x, const void* x, cudnnTensorDescriptor_t of_y, void* y,
    cudnnTensorDescriptor_t of_channels, const void* scale, const void* offset, double factor,
    void* running_mean, void* running_variance, double epsilon, void* mean, void* deviations);
cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
    cudnnTensorDescriptor_t of_x, const void* x, cudnnTensorDescriptor_t of_y, void* y,
    cudnnTensorDescriptor_t of_channels, const void* scale, const void* offset, const void* mean,
    const void* variance, double epsilon);
cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void* alpha, const void* beta,
    const void* alpha_of_parameters, const void* beta_of_parameters, cudnnTensorDescriptor_t of_x,
    const void* x, cudnnTensorDescriptor_t of_dy, const void* dy, cudnnTensorDescriptor_t of_dx,
    void* dx, cudnnTensorDescriptor_t of_channels, const void* scale, void* d_scale,
    void* d_offset, double epsilon, const void* mean, const void* deviations);

// -- the graph interface

enum cudnnBackendDescriptorType_t {
  CUDNN_BACKEND_TENSOR_DESCRIPTOR,
  CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
  CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
  CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
  CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
  CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR,
  CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR,
  CUDNN_BACKEND_ENGINECFG_DESCRIPTOR,
  CUDNN_BACKEND_ENGINE_DESCRIPTOR,
  CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR,
  CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR,
};
enum cudnnBackendAttributeType_t {
  CUDNN_TYPE_HANDLE,
  CUDNN_TYPE_DATA_TYPE,
  CUDNN_TYPE_INT64,
  CUDNN_TYPE_FLOAT,
  CUDNN_TYPE_DOUBLE,
  CUDNN_TYPE_VOID_PTR,
  CUDNN_TYPE_CONVOLUTION_MODE,
  CUDNN_TYPE_HEUR_MODE,
  CUDNN_TYPE_NUMERICAL_NOTE,
  CUDNN_TYPE_BACKEND_DESCRIPTOR,
};
enum cudnnBackendHeurMode_t { CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK };
enum cudnnBackendNumericalNote_t {
  CUDNN_NUMERICAL_NOTE_TENSOR_CORE,
  CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS,
  CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC,
  CUDNN_NUMERICAL_NOTE_TYPE_COUNT,
};
enum cudnnBackendAttributeName_t {
  CUDNN_ATTR_TENSOR_DATA_TYPE,
  CUDNN_ATTR_TENSOR_DIMENSIONS,
  CUDNN_ATTR_TENSOR_STRIDES,
  CUDNN_ATTR_TENSOR_UNIQUE_ID,
  CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT,
  CUDNN_ATTR_CONVOLUTION_COMP_TYPE,
  CUDNN_ATTR_CONVOLUTION_CONV_MODE,
  CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS,
  CUDNN_ATTR_CONVOLUTION_DILATIONS,
  CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES,
  CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS,
  CUDNN_ATTR_CONVOLUTION_POST_PADDINGS,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
  CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
  CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
  CUDNN_ATTR_OPERATIONGRAPH_HANDLE,
  CUDNN_ATTR_OPERATIONGRAPH_OPS,
  CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
  CUDNN_ATTR_ENGINEHEUR_MODE,
  CUDNN_ATTR_ENGINEHEUR_RESULTS,
  CUDNN_ATTR_ENGINECFG_ENGINE,
  CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
  CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
  CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
  CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
  CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
  CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS,
  CUDNN_ATTR_VARIANT_PACK_WORKSPACE,
};

cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* part);
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t part);
cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t part, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t count, const void* values);
cudnnStatus_t cudnnBackendGetAttribute(
    cudnnBackendDescriptor_t part, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t most, int64_t* count, void* values);
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t part);
cudnnStatus_t cudnnBackendExecute(
    cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t operands);
