#pragma once

#include <cudnn.h>

#include <initializer_list>
#include <span>
#include <vector>

namespace troupe::cuda {

/// A descriptor of cuDNN's graph interface: a tensor, an operation, a plan. Its first error stays,
/// and what follows does nothing.
class DnnPart {
 public:
  explicit DnnPart(cudnnBackendDescriptorType_t type);
  ~DnnPart();
  DnnPart(const DnnPart&) = delete;

  DnnPart& set(
      cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, int64_t count,
      const void* values);
  DnnPart& set(cudnnBackendAttributeName_t name, int64_t value);
  DnnPart& set(cudnnBackendAttributeName_t name, std::span<const int64_t> values);
  DnnPart& set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
  DnnPart& set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  /// Other parts, which must live as long as this one is set up.
  DnnPart& set(cudnnBackendAttributeName_t name, const DnnPart& part);

  cudnnStatus_t finalize();
  cudnnStatus_t status() const { return status_; }
  cudnnBackendDescriptor_t get() const { return part_; }

  int64_t read_int(cudnnBackendAttributeName_t name) const;

 private:
  cudnnBackendDescriptor_t part_ = nullptr;
  cudnnStatus_t status_;
};

}  // namespace troupe::cuda
