#pragma once

#include <functional>
#include <memory>

#include "troupe/devices/device.hpp"

namespace troupe {

struct SimulatedDeviceOptions {
  /// Kernels are those of a CPU, shared by all simulated devices.
  std::shared_ptr<const KernelCatalog> kernels;
  /// Runs work at some later point of the simulation.
  std::function<void(std::function<void()>)> later;
  uint64_t memory_limit = uint64_t{1} << 30;  // bytes
};

/// A CPU without threads: what a real one gives to its arena is left to a simulation, which runs it
/// when and in what order it likes.
class SimulatedDevice : public Device {
 public:
  /// What its tensors have of its memory, wherever they are now.
  virtual uint64_t memory_in_use() const = 0;
  /// Leaves it less memory, or more; what is in use stays.
  virtual void limit_memory(uint64_t bytes) = 0;
};

std::unique_ptr<SimulatedDevice> make_simulated_device(SimulatedDeviceOptions options);

}  // namespace troupe
