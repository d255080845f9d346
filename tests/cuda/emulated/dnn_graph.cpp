// The graph interface of cuDNN for emulated cards, for graphs of one convolution. There is one
// engine for each: of float64 only for images with channels first, so that callers must do without.
#include <cudnn.h>

#include <cstring>
#include <map>
#include <optional>

#include "troupe/tests/cuda/emulated/convolutions.hpp"

namespace troupe::emulated {

struct DnnHandle {
  cudaStream_t stream = nullptr;
};

/// Attributes as they were set, and what they say once it is finalized. From a tensor and a
/// convolution to a plan, each takes what it needs from the ones that it is made of.
struct DnnDescriptor {
  cudnnBackendDescriptorType_t type;
  std::map<cudnnBackendAttributeName_t, std::vector<char>> attributes = {};
  std::optional<DnnTensor> tensor = {};
  std::optional<DnnConvolution> convolution = {};

  /// An attribute of elements T; none where it was not set.
  template <class T>
  std::vector<T> all(cudnnBackendAttributeName_t name) const {
    auto found = attributes.find(name);
    if (found == attributes.end()) return {};
    std::vector<T> values(found->second.size() / sizeof(T));
    std::memcpy(values.data(), found->second.data(), found->second.size());
    return values;
  }
  template <class T>
  std::optional<T> one(cudnnBackendAttributeName_t name) const {
    auto values = all<T>(name);
    return values.size() == 1 ? std::optional(values[0]) : std::nullopt;
  }
};

namespace {

constexpr int64_t workspace_bytes = 64;

size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_CONVOLUTION_MODE:
    case CUDNN_TYPE_HEUR_MODE:
    case CUDNN_TYPE_NUMERICAL_NOTE:
    case CUDNN_TYPE_FLOAT: return 4;
    default: return 8;
  }
}

bool finalize_tensor(DnnDescriptor& d) {
  auto type = d.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  auto id = d.one<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  auto sizes = d.all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  auto strides = d.all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  if (!type || !id || !d.one<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)) return false;
  if (sizes.size() != strides.size() || sizes.size() < 4 || sizes.size() > 5) return false;
  DnnTensor tensor{.type = *type, .sizes = {}, .strides = {}, .id = *id};
  tensor.sizes.fill(1);
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto at = i < 2 ? i : i + 5 - sizes.size();
    tensor.sizes[at] = sizes[i];
    tensor.strides[at] = strides[i];
  }
  d.tensor = tensor;
  return true;
}

/// The numbers of spatial axes, as those of a volume.
std::optional<std::array<int64_t, 3>> spatial(
    const DnnDescriptor& d, cudnnBackendAttributeName_t name, int64_t of_no_axis) {
  auto given = d.all<int64_t>(name);
  auto axes = d.one<int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS);
  if (!axes || *axes < 2 || *axes > 3 || std::ssize(given) != *axes) return std::nullopt;
  std::array<int64_t, 3> all;
  all.fill(of_no_axis);
  std::copy(given.begin(), given.end(), all.end() - *axes);
  return all;
}

/// Where the operands of an operation stand among its attributes.
struct OperandNames {
  cudnnBackendAttributeName_t convolution, x, w, y;
  DnnConvolution::Result result;
};
std::optional<OperandNames> operand_names(cudnnBackendDescriptorType_t type) {
  using Result = DnnConvolution::Result;
  switch (type) {
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return OperandNames{
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, Result::y};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return OperandNames{
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, Result::x};
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return OperandNames{
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, Result::w};
    default: return std::nullopt;
  }
}

cudnnStatus_t finalize_operation(DnnDescriptor& d, const OperandNames& names) {
  auto c = d.one<cudnnBackendDescriptor_t>(names.convolution);
  std::optional<DnnTensor> tensors[3];
  size_t found = 0;
  for (auto name : {names.x, names.w, names.y})
    if (auto given = d.one<cudnnBackendDescriptor_t>(name)) tensors[found++] = (*given)->tensor;
  if (!c || !tensors[0] || !tensors[1] || !tensors[2]) return CUDNN_STATUS_BAD_PARAM;
  auto strides = spatial(**c, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, 1);
  auto dilations = spatial(**c, CUDNN_ATTR_CONVOLUTION_DILATIONS, 1);
  auto before = spatial(**c, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, 0);
  auto after = spatial(**c, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, 0);
  if (!strides || !dilations || !before || !after) return CUDNN_STATUS_BAD_PARAM;
  DnnConvolution convolution{names.result, *tensors[0], *tensors[1], *tensors[2],
                             *strides,     *dilations,  *before,     *after};
  if (!convolution.is_valid()) return CUDNN_STATUS_BAD_PARAM;
  auto has_channels_last = [](const DnnTensor& images) {
    return images.sizes[1] > 1 && images.strides[1] == 1;
  };
  if (convolution.x.type == CUDNN_DATA_DOUBLE && has_channels_last(convolution.x))
    return CUDNN_STATUS_NOT_SUPPORTED;
  d.convolution = convolution;
  return CUDNN_STATUS_SUCCESS;
}

/// Takes the convolution of the one that is an attribute.
cudnnStatus_t take(DnnDescriptor& d, cudnnBackendAttributeName_t name) {
  auto from = d.one<cudnnBackendDescriptor_t>(name);
  if (!from || !(*from)->convolution) return CUDNN_STATUS_BAD_PARAM;
  d.convolution = (*from)->convolution;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace
}  // namespace troupe::emulated

using namespace troupe::emulated;

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_SUCCESS: return "CUDNN_STATUS_SUCCESS";
    case CUDNN_STATUS_BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
    default: return "CUDNN_STATUS_NOT_SUPPORTED";
  }
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = new DnnHandle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* descriptor) {
  *descriptor = new DnnDescriptor{.type = type};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  delete descriptor;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t count, const void* values) {
  const auto* bytes = static_cast<const char*>(values);
  descriptor->attributes[name].assign(
      bytes, bytes + static_cast<size_t>(count) * troupe::emulated::size_of(type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(
    cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t, int64_t most, int64_t* count, void* values) {
  *count = 1;
  switch (name) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS:
    case CUDNN_ATTR_ENGINECFG_ENGINE:
      if (most < 1) return CUDNN_STATUS_BAD_PARAM;
      (*static_cast<cudnnBackendDescriptor_t*>(values))->convolution = descriptor->convolution;
      return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      *static_cast<int64_t*>(values) = workspace_bytes;
      return CUDNN_STATUS_SUCCESS;
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE: *count = 0; return CUDNN_STATUS_SUCCESS;
    default: return CUDNN_STATUS_NOT_SUPPORTED;
  }
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  auto& d = *descriptor;
  if (auto names = operand_names(d.type)) return finalize_operation(d, *names);
  switch (d.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return finalize_tensor(d) ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_BAD_PARAM;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR: return take(d, CUDNN_ATTR_OPERATIONGRAPH_OPS);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: return take(d, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return take(d, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    default: return CUDNN_STATUS_SUCCESS;
  }
}

cudnnStatus_t cudnnBackendExecute(
    cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t operands) {
  auto pointers = operands->all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  auto ids = operands->all<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  auto workspace = operands->one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
  if (!plan->convolution || pointers.size() != ids.size() || !workspace || !*workspace)
    return CUDNN_STATUS_BAD_PARAM;
  std::array<void*, 3> memory{};
  const auto& c = *plan->convolution;
  const int64_t wanted[] = {c.x.id, c.w.id, c.y.id};
  for (size_t i = 0; i < ids.size(); ++i)
    for (size_t operand = 0; operand < 3; ++operand)
      if (ids[i] == wanted[operand]) memory[operand] = pointers[i];
  for (const auto* one : memory)
    if (!one) return CUDNN_STATUS_BAD_PARAM;
  handle->stream->put([c, memory, space = *workspace] {
    std::memset(space, 0x5a, workspace_bytes);
    c.run(memory);
  });
  return CUDNN_STATUS_SUCCESS;
}
