#include "troupe/devices/cpu/pool_allocator.hpp"

#include <tbb/scalable_allocator.h>

namespace troupe::cpu {

void* PoolAllocator::allocate(size_t bytes) {
  if (in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_bytes_)
    if (auto* memory = scalable_aligned_malloc(bytes, alignment)) return memory;
  in_use_.fetch_sub(bytes, std::memory_order_relaxed);
  return nullptr;
}

void PoolAllocator::deallocate(void* memory, size_t bytes) noexcept {
  scalable_aligned_free(memory);
  in_use_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace troupe::cpu
