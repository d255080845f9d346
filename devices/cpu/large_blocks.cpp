#include "troupe/devices/cpu/large_blocks.hpp"

#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <bit>

#include "troupe/graph/types/allocator.hpp"

namespace troupe::cpu {
namespace {

/// Eight sizes to each power of two, as SharedArena's.
uint64_t large_block_bytes(size_t bytes) {
  auto step = std::bit_floor(uint64_t{bytes}) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

void* LargeBlocks::allocate(size_t bytes) {
  auto size = large_block_bytes(bytes);
  if (auto* block = take_kept(size)) return block;
  auto* block = scalable_aligned_malloc(size, Allocator::alignment);
  if (block) prefer_huge_pages(block, size);
  return block;
}

/// The youngest, which is most likely in the processor's caches.
void* LargeBlocks::take_kept(uint64_t bytes) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(
      kept_.rbegin(), kept_.rend(), [&](const Kept& kept) { return kept.bytes == bytes; });
  if (found == kept_.rend()) return nullptr;
  auto* block = found->block;
  kept_.erase(std::next(found).base());
  kept_bytes_ -= bytes;
  return block;
}

void LargeBlocks::deallocate(void* block, size_t bytes) noexcept {
  auto now = Clock::now();
  auto size = large_block_bytes(bytes);
  {
    std::lock_guard lock(mutex_);
    kept_.push_back({.block = block, .bytes = size, .since = now});
    kept_bytes_ += size;
  }
  discard(now - kept_time, kept_bytes_max_);
}

void LargeBlocks::trim() { discard(Clock::time_point::max(), 0); }

/// What was kept at `last` or before, and the oldest beyond the bound. To give them back takes the
/// system a while, so others can allocate meanwhile.
void LargeBlocks::discard(Clock::time_point last, uint64_t kept_bytes_max) {
  while (auto* block = take_oldest(last, kept_bytes_max)) scalable_aligned_free(block);
}

void* LargeBlocks::take_oldest(Clock::time_point last, uint64_t kept_bytes_max) {
  std::lock_guard lock(mutex_);
  if (kept_.empty()) return nullptr;
  auto oldest = kept_.front();
  if (oldest.since > last && kept_bytes_ <= kept_bytes_max) return nullptr;
  kept_.pop_front();
  kept_bytes_ -= oldest.bytes;
  return oldest.block;
}

uint64_t LargeBlocks::kept_bytes() const {
  std::lock_guard lock(mutex_);
  return kept_bytes_;
}

}  // namespace troupe::cpu
