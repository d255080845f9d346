#include "troupe/devices/cpu/pool_allocator.hpp"

#include <malloc.h>
#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "troupe/devices/cpu/large_blocks.hpp"
#include "troupe/devices/cpu/shared_arena.hpp"

namespace troupe::cpu {
namespace {

/// An address range for twice the limit, so that it is not full while parts of it lie idle.
std::shared_ptr<SharedFile> make_shared_file(uint64_t limit_bytes) {
  constexpr uint64_t page = 1 << 20, bytes_max = uint64_t{1} << 42;
  return SharedFile::create((std::min(limit_bytes, bytes_max) / page + 1) * page * 2);
}

}  // namespace

/// The count includes one byte for the PoolAllocator itself, so that the object deletes itself when
/// that and the memory of the last tensor are released, in either order.
class PoolAllocator::CountingAllocator final : public Allocator {
 public:
  CountingAllocator(uint64_t limit_bytes, std::shared_ptr<SharedFile> file)
      : limit_bytes_(limit_bytes), large_blocks_(limit_bytes / 8) {
    if (file) arena_.emplace(std::move(file), limit_bytes / 8);
  }

  void* allocate(size_t bytes) override {
    if (!reserve(bytes)) return nullptr;
    auto* memory = take(bytes);
    if (!memory) release(bytes);
    return memory;
  }

  void deallocate(void* memory, size_t bytes) noexcept override {
    if (is_shared(memory)) arena_->deallocate(memory, bytes);
    else if (bytes >= LargeBlocks::block_bytes_min) large_blocks_.deallocate(memory, bytes);
    else scalable_aligned_free(memory);
    release(bytes);
  }

  std::shared_ptr<SharedFile> shared_file() const override {
    return arena_ ? arena_->file() : nullptr;
  }

  void trim() {
    if (arena_) arena_->trim();
    large_blocks_.trim();
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
  bool is_shared(const void* memory) const { return arena_ && arena_->contains(memory); }

  void* take(size_t bytes) {
    if (arena_ && bytes >= SharedArena::block_bytes_min)
      if (auto* block = arena_->allocate(bytes)) return block;
    if (bytes >= LargeBlocks::block_bytes_min) return large_blocks_.allocate(bytes);
    auto* memory = scalable_aligned_malloc(bytes, alignment);
    if (memory) prefer_huge_pages(memory, bytes);
    return memory;
  }

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
  std::optional<SharedArena> arena_;
  LargeBlocks large_blocks_;
};

void PoolAllocator::Release::operator()(CountingAllocator* allocator) const {
  allocator->release(1);
}

PoolAllocator::PoolAllocator(uint64_t limit_bytes, bool shares)
    : allocator_(
          new CountingAllocator(limit_bytes, shares ? make_shared_file(limit_bytes) : nullptr)) {}

PoolAllocator::operator Allocator&() const { return *allocator_; }

void PoolAllocator::trim() {
  allocator_->trim();
  scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
  // Also the C heap, which held the tensors' metadata.
  ::malloc_trim(0);
}

uint64_t PoolAllocator::bytes_in_use() const { return allocator_->use().bytes_in_use; }
void PoolAllocator::set_limit(uint64_t bytes) { allocator_->set_limit(bytes); }

}  // namespace troupe::cpu
