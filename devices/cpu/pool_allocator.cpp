#include "troupe/devices/cpu/pool_allocator.hpp"

#include <malloc.h>
#include <tbb/scalable_allocator.h>

namespace troupe::cpu {

/// Counts itself as one byte given out, so that the last byte to come back ends it, whether the
/// allocator or a tensor goes last.
class PoolAllocator::Share final : public Allocator {
 public:
  explicit Share(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}

  void* allocate(size_t bytes) override {
    if (!take(bytes)) return nullptr;
    auto* memory = scalable_aligned_malloc(bytes, alignment);
    if (memory) prefer_huge_pages(memory, bytes);
    else take_back(bytes);
    return memory;
  }

  void deallocate(void* memory, size_t bytes) noexcept override {
    scalable_aligned_free(memory);
    take_back(bytes);
  }

  void take_back(uint64_t bytes) noexcept {
    if (in_use_.fetch_sub(bytes, std::memory_order_acq_rel) == bytes) delete this;
  }

  MemoryUse use() const override {
    return {
        .bytes_in_use = in_use_.load(std::memory_order_relaxed) - 1,
        .limit_bytes = limit_bytes_.load(std::memory_order_relaxed)};
  }
  void set_limit(uint64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }

 private:
  /// Counts only what fits: a request over the limit must not make smaller ones beside it fail.
  bool take(uint64_t bytes) {
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

void PoolAllocator::Release::operator()(Share* share) const { share->take_back(1); }

PoolAllocator::PoolAllocator(uint64_t limit_bytes) : share_(new Share(limit_bytes)) {}

PoolAllocator::operator Allocator&() const { return *share_; }

void PoolAllocator::trim() {
  scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
  // What described the tensors, too.
  ::malloc_trim(0);
}

uint64_t PoolAllocator::bytes_in_use() const { return share_->use().bytes_in_use; }
void PoolAllocator::set_limit(uint64_t bytes) { share_->set_limit(bytes); }

}  // namespace troupe::cpu
