#pragma once

#include <cudnn.h>

#include <mutex>

#include "troupe/devices/cuda/launch.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Ok, or the error with cuDNN's text of it.
Status to_status(cudnnStatus_t status, const char* what);

/// cuDNN of a card. Its handle is used by one thread at a time.
class DnnLibrary {
 public:
  explicit DnnLibrary(const Card& card);
  ~DnnLibrary();
  DnnLibrary(const DnnLibrary&) = delete;

  /// Calls use(handle), whose work goes to the launch's stream.
  template <class F>
  cudnnStatus_t use(const Launch& launch, const F& use) {
    std::lock_guard lock(mutex_);
    auto status = created_;
    if (auto stream = stream_of(launch); status == CUDNN_STATUS_SUCCESS && stream != stream_) {
      status = cudnnSetStream(handle_, stream);
      stream_ = stream;
    }
    return status == CUDNN_STATUS_SUCCESS ? use(handle_) : status;
  }

 private:
  std::mutex mutex_;
  cudnnHandle_t handle_ = nullptr;
  cudaStream_t stream_ = nullptr;
  cudnnStatus_t created_;
};

cudnnDataType_t dnn_type(DType dtype);

/// The factors of a result, of the type that a dtype's elements are computed as.
struct DnnFactors {
  float one = 1, zero = 0;
  double double_one = 1, double_zero = 0;
  bool is_double;

  explicit DnnFactors(DType dtype) : is_double(dtype == DType::float64) {}
  const void* take_new() const { return is_double ? static_cast<const void*>(&double_one) : &one; }
  const void* drop_old() const {
    return is_double ? static_cast<const void*>(&double_zero) : &zero;
  }
};

/// A descriptor of the library, which ends with this object.
template <class D, cudnnStatus_t (*create)(D*), cudnnStatus_t (*destroy)(D)>
class DnnDescriptor {
 public:
  DnnDescriptor() { create(&descriptor_); }
  ~DnnDescriptor() {
    if (descriptor_) destroy(descriptor_);
  }
  DnnDescriptor(const DnnDescriptor&) = delete;
  operator D() const { return descriptor_; }

 private:
  D descriptor_ = nullptr;
};
using DnnTensor = DnnDescriptor<
    cudnnTensorDescriptor_t, cudnnCreateTensorDescriptor, cudnnDestroyTensorDescriptor>;
}  // namespace troupe::cuda
