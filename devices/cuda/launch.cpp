#include "troupe/devices/cuda/launch.hpp"

#include "troupe/devices/accelerator/accelerator_device.hpp"
#include "troupe/devices/cuda/cuda_driver.hpp"

namespace troupe::cuda {
namespace {

/// Only devices over this driver have these kernels.
CudaDriver& driver_of(const Launch& launch) {
  auto& device = static_cast<accelerator::AcceleratorDevice&>(launch.device());
  return static_cast<CudaDriver&>(device.driver());
}

}  // namespace

cudaStream_t stream_of(const Launch& launch) {
  auto& driver = driver_of(launch);
  driver.make_current();
  return driver.stream(accelerator::Lane::compute);
}

const Card& card_of(const Launch& launch) { return driver_of(launch).facts(); }

Result<Tensor> scratch(const Launch& launch, size_t bytes) {
  return launch.allocate(DType::uint8, {static_cast<int64_t>(bytes)});
}

Status launched(std::string_view kernel) { return to_status(cudaGetLastError(), kernel); }

std::shared_ptr<void> detail::kept(
    const Launch& launch, const std::type_info& type,
    const std::function<std::shared_ptr<void>()>& make) {
  return driver_of(launch).kept(type, make);
}

}  // namespace troupe::cuda
