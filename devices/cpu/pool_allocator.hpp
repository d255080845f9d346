#pragma once

#include <atomic>
#include <cstdint>

#include "troupe/graph/allocator.hpp"

namespace troupe::cpu {

/// A device's share of the process's pool (oneTBB's scalable allocator, which caches per thread),
/// with a count of what is given out and a limit on it.
class PoolAllocator final : public Allocator {
 public:
  explicit PoolAllocator(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void* allocate(size_t bytes) override;
  void deallocate(void* memory, size_t bytes) noexcept override;

  uint64_t bytes_in_use() const { return in_use_.load(std::memory_order_relaxed); }

 private:
  const uint64_t limit_bytes_;
  std::atomic<uint64_t> in_use_{0};
};

}  // namespace troupe::cpu
