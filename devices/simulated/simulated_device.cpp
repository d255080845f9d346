#include "troupe/devices/simulated/simulated_device.hpp"

#include "troupe/devices/cpu/pool_allocator.hpp"

namespace troupe {
namespace {

class ThreadlessCpu final : public SimulatedDevice {
 public:
  explicit ThreadlessCpu(SimulatedDeviceOptions options)
      : options_(std::move(options)),
        attributes_{
            .type = "CPU",
            .index = 0,
            .memory_limit = options_.memory_limit,
            .description = "simulated"},
        resource_kinds_(make_resource_kind_catalog()),
        allocator_(options_.memory_limit) {}

  const DeviceAttributes& attributes() const override { return attributes_; }
  const KernelCatalog& kernels() const override { return *options_.kernels; }
  const ResourceKindCatalog& resource_kinds() const override { return resource_kinds_; }
  Allocator& allocator() override { return allocator_; }
  uint64_t memory_in_use() const override { return allocator_.bytes_in_use(); }
  void limit_memory(uint64_t bytes) override { allocator_.set_limit(bytes); }

  void enqueue(std::function<void()> work) override { options_.later(std::move(work)); }

 private:
  SimulatedDeviceOptions options_;
  DeviceAttributes attributes_;
  ResourceKindCatalog resource_kinds_;
  cpu::PoolAllocator allocator_;
};

}  // namespace

std::unique_ptr<SimulatedDevice> make_simulated_device(SimulatedDeviceOptions options) {
  return std::make_unique<ThreadlessCpu>(std::move(options));
}

}  // namespace troupe
