#include "troupe/devices/accelerator/capture_arena.hpp"

#include <algorithm>
#include <utility>

#include "troupe/graph/support/check.hpp"

namespace troupe::accelerator {
namespace {

constexpr size_t arena_granule = 256;
/// A block serves what takes at least this part of it, or it would hold too much.
constexpr size_t waste_max = 2;

thread_local CaptureArena* current = nullptr;

}  // namespace

CaptureArena* CaptureArena::of_thread() { return current; }

CaptureArena::Scope::Scope(CaptureArena& arena) {
  CHECK(!current);
  current = &arena;
}
CaptureArena::Scope::~Scope() { current = nullptr; }

CaptureArena::~CaptureArena() {
  for (auto [begin, bytes] : blocks_) pool_->deallocate(begin, bytes);
}

void* CaptureArena::allocate(size_t wanted) {
  auto bytes = (std::max<size_t>(wanted, 1) + arena_granule - 1) / arena_granule * arena_granule;
  std::lock_guard lock(mutex_);
  char* begin = nullptr;
  if (auto found = unused_.lower_bound(bytes);
      found != unused_.end() && found->first <= waste_max * bytes) {
    begin = found->second;
    unused_.erase(found);
  } else {
    was_too_small_ |= bytes_ + bytes > bytes_max_;
    if (bytes_ + bytes > bytes_max_) return nullptr;
    const auto* holder = StreamOrderedPool::set_holder("captured work");
    begin = static_cast<char*>(pool_->allocate(bytes, Lane::compute));
    StreamOrderedPool::set_holder(holder);
    if (!begin) return nullptr;
    blocks_.emplace(begin, bytes);
    bytes_ += bytes;
  }
  if (in_use_++ == 0) self_ = shared_from_this();
  return begin;
}

void CaptureArena::deallocate(void* memory, size_t) noexcept {
  std::shared_ptr<CaptureArena> last;
  std::lock_guard lock(mutex_);
  auto block = blocks_.find(static_cast<char*>(memory));
  CHECK(block != blocks_.end());
  unused_.emplace(block->second, block->first);
  if (--in_use_ == 0) last = std::move(self_);
}

MemoryUse CaptureArena::use() const {
  std::lock_guard lock(mutex_);
  return {.bytes_in_use = bytes_, .limit_bytes = bytes_max_};
}

bool CaptureArena::contains(const void* memory) const {
  std::lock_guard lock(mutex_);
  const auto* at = static_cast<const char*>(memory);
  auto next = blocks_.upper_bound(const_cast<char*>(at));
  return next != blocks_.begin() && at < std::prev(next)->first + std::prev(next)->second;
}

bool CaptureArena::was_too_small() const {
  std::lock_guard lock(mutex_);
  return was_too_small_;
}

}  // namespace troupe::accelerator
