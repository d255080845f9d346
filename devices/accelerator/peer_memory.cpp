#include "troupe/devices/accelerator/peer_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "troupe/devices/accelerator/accelerator_device.hpp"

namespace troupe::accelerator {

Result<std::shared_ptr<const SharedRegion>> region_of(const Tensor& tensor) {
  auto is_aligned = reinterpret_cast<uintptr_t>(tensor.raw()) % Allocator::alignment == 0;
  if (tensor.memory() == MemoryKind::device && tensor.bytes() >= shared_bytes_min && is_aligned)
    if (auto* device = dynamic_cast<AcceleratorDevice*>(device_of(tensor)))
      return device->share(tensor);
  return not_found("the tensor lies in no memory that is shared");
}

Result<std::shared_ptr<PeerMemory>> PeerMemory::open(
    AcceleratorDevice& device, const RegionName& name) {
  auto driver = device.shared_driver();
  auto opened = driver->open_shared(name.handle);
  if (!opened) return opened.status();
  return std::shared_ptr<PeerMemory>(
      new PeerMemory(device, std::move(driver), *opened, name.bytes));
}

bool is_of_peer(const Tensor& tensor) {
  return tensor.memory() == MemoryKind::device && dynamic_cast<PeerMemory*>(tensor.allocator());
}

OpenRegion make_open_region(const std::vector<std::shared_ptr<Device>>& devices) {
  std::vector<std::shared_ptr<AcceleratorDevice>> cards;
  for (const auto& device : devices)
    if (auto card = std::dynamic_pointer_cast<AcceleratorDevice>(device)) cards.push_back(card);
  if (cards.empty()) return {};
  return [cards](const RegionName& name) {
    auto order = cards;
    std::ranges::stable_partition(
        order, [&](const auto& card) { return card->driver().facts().bus == name.card; });
    auto opened = PeerMemory::open(*order[0], name);
    for (size_t i = 1; i < order.size() && !opened; ++i) opened = PeerMemory::open(*order[i], name);
    return opened;
  };
}

}  // namespace troupe::accelerator
