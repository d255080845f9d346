#pragma once

#include <functional>
#include <memory>
#include <string>

#include "troupe/devices/kernel.hpp"
#include "troupe/devices/resources/resource_kind.hpp"
#include "troupe/devices/stream.hpp"
#include "troupe/graph/cluster/cluster_view.hpp"
#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

struct PlanPiece;

/// A place that runs kernels: a CPU's threads, or a GPU's streams. All calls return at once and may
/// come from any thread.
///
/// A device either computes in the host's memory, and a kernel has done its work when it returns;
/// or it has memory of its own and a stream, and a kernel has only put its work there.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceAttributes& attributes() const = 0;
  virtual const KernelCatalog& kernels() const = 0;
  /// The resources that containers can have on it; none by default.
  virtual const ResourceKindCatalog& resource_kinds() const;

  /// Of the memory that its kernels compute in.
  virtual Allocator& allocator() = 0;
  /// Of host memory for what goes to the device and comes from it: pinned, where that is faster.
  virtual Allocator& host_allocator() { return allocator(); }

  /// Runs `work` soon on one of the device's own host threads.
  virtual void enqueue(std::function<void()> work) = 0;

  /// Gives memory that is kept for later, and that nobody uses, back to the system.
  virtual void trim() {}

  /// Waits until nothing runs any more of what it was given. Not from its own threads.
  virtual void finish() {}

  /// The stream that kernels put their work on; null for a device that computes in the host's
  /// memory, which has no use for what follows, either.
  virtual Stream* stream() { return nullptr; }

  /// Puts a copy into the device's memory on its stream, and returns the copy, which work behind it
  /// on the stream may use. `from` lies in host memory or in that of another device of the process,
  /// whose stream the copy waits for.
  virtual Result<Tensor> copy_in(const Tensor& from);
  /// Whether that copy takes long. Then it is to be made by copy_in_async(): on the stream it would
  /// delay the work of other steps behind it.
  virtual bool is_long_copy(const Tensor& from) const { return false; }
  /// As copy_in(), but off the stream; `done` is called from any thread when the copy is complete.
  virtual void copy_in_async(const Tensor& from, std::function<void(Result<Tensor>)> done);
  /// Puts a copy of a tensor of this device into host memory on its stream; `done` is called when
  /// the copy is there, or with the stream's error.
  virtual void copy_to_host(const Tensor& from, std::function<void(Result<Tensor>)> done);

  /// A kernel that computes a node of integers or flags in the host's memory
  /// (memory/host_values.hpp).
  virtual Result<Kernel> make_host_kernel(const Node& node) { return kernels().make(node); }

  /// The minimum number of launches that a piece of a plan (pieces/plan_piece.hpp) must replace for
  /// the device to run it as one; 0: the device runs no pieces.
  virtual int piece_launches_min() const { return 0; }
  /// The kernel of a piece, for a device that knows them.
  virtual Kernel make_piece_kernel(std::shared_ptr<const PlanPiece>) { return {}; }
};

/// An allocator of memory that the host cannot read.
class DeviceAllocator : public Allocator {
 public:
  MemoryKind kind() const override { return MemoryKind::device; }
  virtual Device& device() const = 0;
};

/// The device in whose memory the tensor lies; null for host memory.
Device* device_of(const Tensor& tensor);

}  // namespace troupe
