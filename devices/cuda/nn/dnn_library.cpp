#if TROUPE_CUDNN
#include "troupe/devices/cuda/nn/dnn_library.hpp"

namespace troupe::cuda {

Status to_status(cudnnStatus_t status, const char* what) {
  if (status == CUDNN_STATUS_SUCCESS) return {};
  auto message = std::string("cuDNN could not ") + what + ": " + cudnnGetErrorString(status);
  return status == CUDNN_STATUS_NOT_SUPPORTED ? unimplemented(message) : internal(message);
}

DnnLibrary::DnnLibrary(const Card&) : created_(cudnnCreate(&handle_)) {}

DnnLibrary::~DnnLibrary() {
  if (handle_) cudnnDestroy(handle_);
}

cudnnDataType_t dnn_type(DType dtype) {
  switch (dtype) {
    case DType::float64: return CUDNN_DATA_DOUBLE;
    case DType::float16: return CUDNN_DATA_HALF;
    case DType::bfloat16: return CUDNN_DATA_BFLOAT16;
    default: return CUDNN_DATA_FLOAT;
  }
}

}  // namespace troupe::cuda

#endif
