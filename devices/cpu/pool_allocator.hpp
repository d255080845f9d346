#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "troupe/graph/allocator.hpp"

namespace troupe::cpu {

/// A device's share of the process's pool (oneTBB's scalable allocator, which caches per thread),
/// with a count of what is given out and a limit on it. What was allocated may outlive it, as a
/// fetched tensor outlives the device that made it.
class PoolAllocator {
 public:
  explicit PoolAllocator(uint64_t limit_bytes);

  operator Allocator&() const;
  uint64_t bytes_in_use() const;
  /// Gives back to the system what the process's pool keeps for later. May take a while, where that
  /// is much.
  static void trim();
  /// For what is allocated from now on; what is given out stays. Thread-safe.
  void set_limit(uint64_t bytes);

 private:
  class Share;
  struct Release {
    void operator()(Share* share) const;
  };

  std::unique_ptr<Share, Release> share_;
};

}  // namespace troupe::cpu
