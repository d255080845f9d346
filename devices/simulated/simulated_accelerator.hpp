#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/devices/device.hpp"

namespace troupe {

struct SimulatedAcceleratorOptions {
  /// Kernels are those of a CPU, shared by all simulated devices.
  std::shared_ptr<const KernelCatalog> kernels;
  /// Runs work at some later point of the simulation.
  std::function<void(std::function<void()>)> later;
  std::string type = "GPU";
  int index = 0;
  uint64_t memory_limit = uint64_t{1} << 30;  // bytes
};

/// A device with memory of its own and a stream, as a GPU is, that computes with a CPU's kernels.
/// What it checks is order: each block of its memory is written by some work of a stream, and work
/// that reads it must be behind that, in the same stream or by an event. A read that is not is an
/// error of the stream, and so of the step.
class SimulatedAccelerator : public Device, public accelerator::CopiesInPieces {
 public:
  /// What its tensors have of its memory.
  virtual uint64_t memory_in_use() const = 0;
  /// The next kernel fails on the stream with this error, after it was started.
  virtual void fail_next_kernel(Status status) = 0;
  /// Copies that it has made so far, into its memory and out of it.
  virtual uint64_t copies_in() const = 0;
  virtual uint64_t copies_to_host() const = 0;
  /// Forgets the work on its stream, when the simulation has ended: what waits for its end has the
  /// device, and would keep it.
  virtual void drop_work() = 0;
};

std::unique_ptr<SimulatedAccelerator> make_simulated_accelerator(
    SimulatedAcceleratorOptions options);

}  // namespace troupe
