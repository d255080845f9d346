#if TROUPE_CUDNN
#include "troupe/devices/cuda/nn/dnn_graph.hpp"

namespace troupe::cuda {

DnnPart::DnnPart(cudnnBackendDescriptorType_t type)
    : status_(cudnnBackendCreateDescriptor(type, &part_)) {}

DnnPart::~DnnPart() {
  if (part_) cudnnBackendDestroyDescriptor(part_);
}

DnnPart& DnnPart::set(
    cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
    const void* values) {
  if (status_ == CUDNN_STATUS_SUCCESS)
    status_ = cudnnBackendSetAttribute(part_, name, type, count, values);
  return *this;
}

DnnPart& DnnPart::set(cudnnBackendAttributeName_t name, int64_t value) {
  return set(name, CUDNN_TYPE_INT64, 1, &value);
}
DnnPart& DnnPart::set(cudnnBackendAttributeName_t name, std::span<const int64_t> values) {
  return set(name, CUDNN_TYPE_INT64, static_cast<int64_t>(values.size()), values.data());
}
DnnPart& DnnPart::set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
  return set(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}
DnnPart& DnnPart::set(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
  return set(name, CUDNN_TYPE_HANDLE, 1, &value);
}
DnnPart& DnnPart::set(cudnnBackendAttributeName_t name, const DnnPart& part) {
  if (status_ == CUDNN_STATUS_SUCCESS) status_ = part.status();
  return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &part.part_);
}

cudnnStatus_t DnnPart::finalize() {
  if (status_ == CUDNN_STATUS_SUCCESS) status_ = cudnnBackendFinalize(part_);
  return status_;
}

int64_t DnnPart::read_int(cudnnBackendAttributeName_t name) const {
  int64_t value = 0, count = 0;
  if (status_ == CUDNN_STATUS_SUCCESS)
    cudnnBackendGetAttribute(part_, name, CUDNN_TYPE_INT64, 1, &count, &value);
  return value;
}

}  // namespace troupe::cuda

#endif
