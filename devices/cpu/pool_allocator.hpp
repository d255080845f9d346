#pragma once

#include <cstdint>
#include <memory>

#include "troupe/graph/types/allocator.hpp"

namespace troupe::cpu {

/// Counts the bytes in use and limits them. They are of the process-wide pool (oneTBB's scalable
/// allocator, which caches per thread), and large blocks, if they are to be shared, of a
/// SharedArena of its own. Memory may outlive the allocator, as a fetched tensor outlives the
/// device that made it.
class PoolAllocator {
 public:
  /// `shares`: other processes can map large blocks, where the system allows it.
  explicit PoolAllocator(uint64_t limit_bytes, bool shares = false);

  operator Allocator&() const;
  uint64_t bytes_in_use() const;
  /// Returns memory that is kept for later to the system. Slow if there is much of it.
  void trim();
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
