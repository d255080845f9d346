#include "troupe/devices/device.hpp"

namespace troupe {

const ResourceKindCatalog& Device::resource_kinds() const {
  static const ResourceKindCatalog none;
  return none;
}

Result<Tensor> Device::copy_in(const Tensor& from) { return from; }

void Device::copy_in_async(const Tensor& from, std::function<void(Result<Tensor>)> done) {
  done(copy_in(from));
}

void Device::copy_to_host(const Tensor& from, std::function<void(Result<Tensor>)> done) {
  done(from);
}

Device* device_of(const Tensor& tensor) {
  auto* allocator = tensor.allocator();
  if (!allocator || allocator->kind() != MemoryKind::device) return nullptr;
  return &static_cast<DeviceAllocator*>(allocator)->device();
}

}  // namespace troupe
