#include "troupe/devices/cpu/pool_allocator.hpp"

#include <malloc.h>
#include <tbb/scalable_allocator.h>

#include <atomic>

namespace troupe::cpu {

/// The count includes one byte for the PoolAllocator itself, so that the object deletes itself when
/// that and the memory of the last tensor are released, in either order.
class PoolAllocator::CountingAllocator final : public Allocator {
 public:
  explicit CountingAllocator(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void* allocate(size_t bytes) override {
    if (!reserve(bytes)) return nullptr;
    auto* memory = scalable_aligned_malloc(bytes, alignment);
    if (memory) prefer_huge_pages(memory, bytes);
    else release(bytes);
    return memory;
  }

  void deallocate(void* memory, size_t bytes) noexcept override {
    scalable_aligned_free(memory);
    release(bytes);
  }

  void release(uint64_t bytes) noexcept {
    if (in_use_.fetch_sub(bytes, std::memory_order_acq_rel) == bytes) delete this;
  }

  MemoryUse use() const override {
    return {
        .bytes_in_use = in_use_.load(std::memory_order_relaxed) - 1,
        .limit_bytes = limit_bytes_.load(std::memory_order_relaxed)};
  }
  void set_limit(uint64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }

 private:
  /// Counts only what fits: a request over the limit must not make smaller concurrent ones fail.
  bool reserve(uint64_t bytes) {
    auto limit = limit_bytes_.load(std::memory_order_relaxed);
    auto counted = in_use_.load(std::memory_order_relaxed);
    while (bytes <= limit && counted - 1 <= limit - bytes)
      if (in_use_.compare_exchange_weak(counted, counted + bytes, std::memory_order_relaxed))
        return true;
    return false;
  }

  std::atomic<uint64_t> limit_bytes_;
  std::atomic<uint64_t> in_use_{1};
};

void PoolAllocator::Release::operator()(CountingAllocator* allocator) const {
  allocator->release(1);
}

PoolAllocator::PoolAllocator(uint64_t limit_bytes)
    : allocator_(new CountingAllocator(limit_bytes)) {}

PoolAllocator::operator Allocator&() const { return *allocator_; }

void PoolAllocator::trim() {
  scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
  // Also the C heap, which held the tensors' metadata.
  ::malloc_trim(0);
}

uint64_t PoolAllocator::bytes_in_use() const { return allocator_->use().bytes_in_use; }
void PoolAllocator::set_limit(uint64_t bytes) { allocator_->set_limit(bytes); }

}  // namespace troupe::cpu
