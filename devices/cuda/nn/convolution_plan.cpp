#if TROUPE_CUDNN
#include "troupe/devices/cuda/nn/convolution_plan.hpp"

#include "troupe/graph/support/environment.hpp"

namespace troupe::cuda {
namespace {

using Pass = cpu::ConvolutionPass;

constexpr size_t convolution_plans_max = 1024;
constexpr size_t workspace_max = size_t{1} << 30;

cudnnStatus_t describe(
    ConvolutionPlan& plan, const ConvolutionShape& shape, bool channels_first, bool allows_tf32) {
  auto format = channels_first ? CUDNN_TENSOR_NCHW : CUDNN_TENSOR_NHWC;
  auto type = dnn_type(shape.dtype);
  plan.channels_first = channels_first;
  auto status = cudnnSetTensor4dDescriptor(
      plan.input, format, type, shape.batch, shape.inputs, shape.in[0], shape.in[1]);
  if (status == CUDNN_STATUS_SUCCESS)
    status = cudnnSetTensor4dDescriptor(
        plan.output, format, type, shape.batch, shape.outputs, shape.out[0], shape.out[1]);
  if (status == CUDNN_STATUS_SUCCESS)
    status = cudnnSetFilter4dDescriptor(
        plan.filter, type, format, shape.outputs, shape.inputs / shape.groups, shape.kernel[0],
        shape.kernel[1]);
  if (status == CUDNN_STATUS_SUCCESS)
    status = cudnnSetConvolution2dDescriptor(
        plan.convolution, shape.padding[0], shape.padding[1], shape.strides[0], shape.strides[1],
        shape.dilations[0], shape.dilations[1], CUDNN_CROSS_CORRELATION,
        shape.dtype == DType::float64 ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT);
  if (status == CUDNN_STATUS_SUCCESS)
    status = cudnnSetConvolutionGroupCount(plan.convolution, shape.groups);
  auto is_half = shape.dtype == DType::float16 || shape.dtype == DType::bfloat16;
  auto math = is_half || (shape.dtype == DType::float32 && allows_tf32) ? CUDNN_TENSOR_OP_MATH
                                                                        : CUDNN_FMA_MATH;
  if (status == CUDNN_STATUS_SUCCESS) status = cudnnSetConvolutionMathType(plan.convolution, math);
  return status;
}

constexpr int algorithms_max = 16;

/// Takes the first algorithm, of those that are expected to be the fastest, that can be used. One
/// that rounds to fewer bits is none where that was not asked for.
template <class Found>
cudnnStatus_t take_first(ConvolutionPlan& plan, const Found* found, int count) {
  auto asked = CUDNN_FMA_MATH;
  auto status = cudnnGetConvolutionMathType(plan.convolution, &asked);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  for (int i = 0; i < count; ++i) {
    if (found[i].status != CUDNN_STATUS_SUCCESS || found[i].memory > workspace_max) continue;
    auto is_exact = asked == CUDNN_FMA_MATH;
    if (is_exact && found[i].mathType == CUDNN_TENSOR_OP_MATH) continue;
    plan.algorithm = static_cast<int>(found[i].algo);
    plan.workspace = found[i].memory;
    if (is_exact) return status;
    return cudnnSetConvolutionMathType(plan.convolution, found[i].mathType);
  }
  return CUDNN_STATUS_NOT_SUPPORTED;
}

cudnnStatus_t choose_algorithm(cudnnHandle_t handle, ConvolutionPlan& plan, Pass pass) {
  int count = 0;
  if (pass == Pass::output) {
    cudnnConvolutionFwdAlgoPerf_t found[algorithms_max];
    auto status = cudnnGetConvolutionForwardAlgorithm_v7(
        handle, plan.input, plan.filter, plan.convolution, plan.output, algorithms_max, &count,
        found);
    return status == CUDNN_STATUS_SUCCESS ? take_first(plan, found, count) : status;
  }
  if (pass == Pass::input) {
    cudnnConvolutionBwdDataAlgoPerf_t found[algorithms_max];
    auto status = cudnnGetConvolutionBackwardDataAlgorithm_v7(
        handle, plan.filter, plan.output, plan.convolution, plan.input, algorithms_max, &count,
        found);
    return status == CUDNN_STATUS_SUCCESS ? take_first(plan, found, count) : status;
  }
  cudnnConvolutionBwdFilterAlgoPerf_t found[algorithms_max];
  auto status = cudnnGetConvolutionBackwardFilterAlgorithm_v7(
      handle, plan.input, plan.output, plan.convolution, plan.filter, algorithms_max, &count,
      found);
  return status == CUDNN_STATUS_SUCCESS ? take_first(plan, found, count) : status;
}

}  // namespace

ConvolutionPlans::ConvolutionPlans(const Card&)
    : allows_tf32_(variable(process_environment(), "TROUPE_TF32") == "1") {}

Result<std::shared_ptr<const ConvolutionPlan>> ConvolutionPlans::plan(
    const Launch& launch, const ConvolutionShape& shape) {
  std::lock_guard lock(mutex_);
  if (auto found = plans_.find(shape); found != plans_.end()) return found->second;
  // Images with channels last are convolved as they lie where the library can, else transposed.
  auto status = CUDNN_STATUS_NOT_SUPPORTED;
  for (auto channels_first : {false, true}) {
    if (shape.channels_first && !channels_first) continue;
    auto plan = std::make_shared<ConvolutionPlan>();
    status = describe(*plan, shape, channels_first, allows_tf32_);
    if (status == CUDNN_STATUS_SUCCESS)
      status = kept<DnnLibrary>(launch).use(launch, [&](cudnnHandle_t handle) {
        return choose_algorithm(handle, *plan, shape.pass);
      });
    if (status != CUDNN_STATUS_SUCCESS) continue;
    if (plans_.size() >= convolution_plans_max) plans_.clear();
    plans_.emplace(shape, plan);
    return std::shared_ptr<const ConvolutionPlan>(std::move(plan));
  }
  return to_status(status, "plan a convolution");
}

}  // namespace troupe::cuda

#endif
