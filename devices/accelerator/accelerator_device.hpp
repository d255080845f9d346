#pragma once

#include <memory>
#include <string>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/accelerator/filling_memory.hpp"
#include "troupe/devices/accelerator/graph_cache.hpp"
#include "troupe/devices/accelerator/peer_memory.hpp"
#include "troupe/devices/accelerator/pinned_pool.hpp"
#include "troupe/devices/accelerator/stream_ordered_pool.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::accelerator {

struct AcceleratorOptions {
  std::string type = "GPU";
  int index = 0;
  std::shared_ptr<Driver> driver;
  /// Of the card. What a device needs beside them it has by itself: add_host_side_kernels().
  KernelCatalog kernels;
  /// Runs the device's work on host threads, and kernels that compute on the host.
  std::shared_ptr<Device> host;
  PoolOptions memory;
  PinnedOptions pinned;
  GraphOptions graphs = {};
};

/// A card as a device: its streams, its memory, and the copies to it and from it, over the driver
/// of its vendor. Its copy_in() takes memory of other processes, too (peer_memory.hpp).
///
/// AC-1: an error of work on the card ends the steps that run; from then on the device refuses all
///       others with Unavailable, and all else of the task goes on.
class AcceleratorDevice : public Device, public CopiesInPieces {
 public:
  virtual Driver& driver() const = 0;
  virtual std::shared_ptr<Driver> shared_driver() const = 0;
  /// Who has its memory, in words.
  virtual std::string describe_memory() const = 0;
  /// What it has captured and replayed, and why it did not, in words.
  virtual std::string describe_graphs() const = 0;
  /// What it has from the driver, which other processes cannot have.
  virtual uint64_t bytes_reserved() const = 0;
  /// The region that a tensor of the device lies in, for other processes. Unavailable where the
  /// driver shares none.
  virtual Result<std::shared_ptr<const SharedRegion>> share(const Tensor& tensor) = 0;
};

/// ResourceExhausted where its memory is to be reserved and the card has not as much.
Result<std::unique_ptr<AcceleratorDevice>> make_accelerator_device(AcceleratorOptions options);

}  // namespace troupe::accelerator
