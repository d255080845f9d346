#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/allocator.hpp"
#include "troupe/graph/cluster_view.hpp"
#include "troupe/graph/tensor.hpp"

namespace troupe {

/// A place that runs kernels: a CPU's threads, later a GPU's stream. All calls return at once and
/// may come from any thread. Work that kernels put on the device forms one ordered stream; on a CPU
/// that stream is empty, as a kernel has done its work when it returns.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceAttributes& attributes() const = 0;
  virtual const KernelCatalog& kernels() const = 0;
  virtual Allocator& allocator() = 0;

  /// Runs `work` soon on one of the device's own host threads.
  virtual void enqueue(std::function<void()> work) = 0;

  /// Gives memory that is kept for later, and that nobody uses, back to the system.
  virtual void trim() {}

  /// Waits until nothing runs any more of what it was given. Not from its own threads.
  virtual void finish() {}

  /// An event: calls `then` once all that kernels have put on the stream so far is done, on any
  /// thread, at once where nothing is left to do.
  virtual void when_done(std::function<void()> then) = 0;

  /// Copies between the device and the host, in the stream's order; `done` may be called at once.
  /// A device whose memory is the host's answers with the tensor it was given.
  virtual void copy_to_host(Tensor tensor, std::function<void(Result<Tensor>)> done) = 0;
  virtual void copy_from_host(Tensor tensor, std::function<void(Result<Tensor>)> done) = 0;
};

}  // namespace troupe
