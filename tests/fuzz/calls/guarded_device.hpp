#pragma once

#include <memory>

#include "troupe/devices/device.hpp"

namespace troupe::fuzz {

/// The memory of a GuardedDevice. It outlives its tensors.
class GuardedAllocator final : public Allocator {
 public:
  /// All of it has the byte `fill` before it is written.
  GuardedAllocator(uint64_t limit_bytes, unsigned char fill);

  void* allocate(size_t bytes) override;
  void deallocate(void* memory, size_t bytes) noexcept override;
  MemoryUse use() const override;

  /// Whether something was written behind a block that is freed by now.
  bool was_overrun() const { return was_overrun_; }

 private:
  const uint64_t limit_bytes_;
  const unsigned char fill_;
  std::atomic<uint64_t> in_use_{0};
  std::atomic<bool> was_overrun_ = false;
};

/// A CPU device with memory that shows what kernels do with it: each block ends where
/// AddressSanitizer sees it, and what is not set has a value that another such device has not.
class GuardedDevice final : public Device {
 public:
  GuardedDevice(Device& device, GuardedAllocator& allocator)
      : device_(device), allocator_(allocator) {}

  const DeviceAttributes& attributes() const override { return device_.attributes(); }
  const KernelCatalog& kernels() const override { return device_.kernels(); }
  const ResourceKindCatalog& resource_kinds() const override { return device_.resource_kinds(); }
  Allocator& allocator() override { return allocator_; }
  void enqueue(std::function<void()> work) override { device_.enqueue(std::move(work)); }
  void finish() override { device_.finish(); }

 private:
  Device& device_;
  GuardedAllocator& allocator_;
};

}  // namespace troupe::fuzz
