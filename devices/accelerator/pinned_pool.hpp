#pragma once

#include <cstdint>
#include <memory>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/graph/types/allocator.hpp"

namespace troupe::accelerator {

struct PinnedOptions {
  uint64_t limit_bytes = uint64_t{2} << 30;     // that are in use at once
  uint64_t cached_bytes = uint64_t{256} << 20;  // that are kept for the next ones, at most
};

/// Pinned host memory. Pinning takes the system longer than most copies, so blocks are kept, by
/// powers of two. Memory may outlive the pool, as a fetched tensor outlives its device. Copies are
/// the same pool. Thread-safe.
class PinnedPool {
 public:
  PinnedPool(std::shared_ptr<Driver> driver, PinnedOptions options = {});

  operator Allocator&() const;
  /// What is kept for later.
  uint64_t cached_bytes() const;
  /// Gives what is kept back to the system.
  void trim();

 private:
  class Blocks;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace troupe::accelerator
