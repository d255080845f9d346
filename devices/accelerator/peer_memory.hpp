#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::accelerator {

class AcceleratorDevice;

/// How another process of the machine opens a region of a card's memory.
struct RegionName {
  std::string card;    // CardFacts::bus
  std::string handle;  // Driver::share()
  uint64_t bytes = 0;
};

/// A region of a card's memory that other processes may open. Its memory is not given back to the
/// driver as long as this is held, not even when its device ends.
struct SharedRegion {
  const void* begin;
  RegionName name;
  std::shared_ptr<const void> owner;

  bool contains(const void* memory) const {
    const auto *at = static_cast<const char*>(memory), *from = static_cast<const char*>(begin);
    return from <= at && at < from + name.bytes;
  }
};

/// Tensors of fewer bytes are not worth the messages: their copies through the host are as fast.
inline constexpr size_t shared_bytes_min = size_t{1} << 20;

/// The region that a large tensor of a card lies in. NotFound for any other tensor; Unavailable
/// where the driver shares none.
Result<std::shared_ptr<const SharedRegion>> region_of(const Tensor& tensor);

/// A region of a card's memory that another process has, opened here: the allocator of tensors that
/// lie there, which gives out nothing. They hold it, until the copies that read them are done.
class PeerMemory final : public DeviceAllocator {
 public:
  /// By that device, which reads it as its own memory.
  static Result<std::shared_ptr<PeerMemory>> open(
      AcceleratorDevice& device, const RegionName& name);
  ~PeerMemory() override { driver_->close_shared(begin_); }
  PeerMemory(const PeerMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(begin_); }
  uint64_t bytes() const { return bytes_; }

  /// That has opened it; until the device ends.
  Device& device() const override { return device_; }
  void* allocate(size_t bytes) override { return nullptr; }
  void deallocate(void* memory, size_t bytes) noexcept override {}

 private:
  PeerMemory(Device& device, std::shared_ptr<Driver> driver, void* begin, uint64_t bytes)
      : device_(device), driver_(std::move(driver)), begin_(begin), bytes_(bytes) {}

  Device& device_;
  const std::shared_ptr<Driver> driver_;
  void* const begin_;
  const uint64_t bytes_;
};

/// Whether a tensor lies in memory that another process lends: device_of() is the one that reads
/// it.
bool is_of_peer(const Tensor& tensor);

/// Opens regions of other processes on the cards of this one.
using OpenRegion = std::function<Result<std::shared_ptr<PeerMemory>>(const RegionName&)>;

/// On the card that the region is of, if it is among these devices, else on the first card that
/// reaches it. Unset where no device is a card.
OpenRegion make_open_region(const std::vector<std::shared_ptr<Device>>& devices);

}  // namespace troupe::accelerator
