#pragma once

#include <cstdint>
#include <memory>

#include "troupe/graph/types/allocator.hpp"

namespace troupe::cpu {

/// A device's view of the process-wide pool (oneTBB's scalable allocator, which caches per thread):
/// counts the bytes in use and limits them. Memory may outlive the allocator, as a fetched tensor
/// outlives the device that made it.
class PoolAllocator {
 public:
  explicit PoolAllocator(uint64_t limit_bytes);

  operator Allocator&() const;
  uint64_t bytes_in_use() const;
  /// Returns the pool's cached memory to the system. Slow if there is much of it.
  static void trim();
  /// Applies to later allocations; memory in use stays. Thread-safe.
  void set_limit(uint64_t bytes);

 private:
  class CountingAllocator;
  struct Release {
    void operator()(CountingAllocator* allocator) const;
  };

  std::unique_ptr<CountingAllocator, Release> allocator_;
};

}  // namespace troupe::cpu
