#include "troupe/devices/cpu/shared_arena.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace troupe::cpu {
namespace {

/// Eight sizes to each power of two: tensors of similar sizes can take each other's blocks, and at
/// most an eighth of a block is not used.
uint64_t block_bytes(size_t bytes) {
  auto step = std::bit_floor(std::max<uint64_t>(bytes, SharedArena::block_bytes_min)) / 8;
  return (bytes + step - 1) / step * step;
}

}  // namespace

SharedArena::SharedArena(std::shared_ptr<SharedFile> file, uint64_t kept_bytes_max)
    : file_(std::move(file)), kept_bytes_max_(kept_bytes_max) {
  add_unused({.offset = 0, .bytes = file_->bytes()});
}

void* SharedArena::allocate(size_t bytes) {
  if (bytes > file_->bytes() || file_->is_retired()) return nullptr;
  auto size = block_bytes(bytes);
  std::lock_guard lock(mutex_);
  auto offset = take_kept(size);
  if (!offset) offset = take_unused(size);
  return offset ? file_->data() + *offset : nullptr;
}

/// The youngest, which is most likely in the processor's caches.
std::optional<uint64_t> SharedArena::take_kept(uint64_t bytes) {
  auto found = kept_.find(bytes);
  if (found == kept_.end()) return {};
  auto offset = found->second.back().offset;
  found->second.pop_back();
  if (found->second.empty()) kept_.erase(found);
  kept_bytes_ -= bytes;
  return offset;
}

std::optional<uint64_t> SharedArena::take_unused(uint64_t bytes) {
  auto found = unused_of_size_.lower_bound({bytes, 0});
  if (found == unused_of_size_.end()) return {};
  auto [size, offset] = *found;
  remove_unused(unused_.find(offset));
  if (size > bytes) add_unused({.offset = offset + bytes, .bytes = size - bytes});
  return offset;
}

void SharedArena::deallocate(void* block, size_t bytes) noexcept {
  if (file_->is_retired()) return;
  auto now = Clock::now();
  auto offset = static_cast<uint64_t>(static_cast<std::byte*>(block) - file_->data());
  auto size = block_bytes(bytes);
  {
    std::lock_guard lock(mutex_);
    kept_[size].push_back({.offset = offset, .since = now});
    kept_bytes_ += size;
  }
  discard(now - kept_time, kept_bytes_max_);
}

void SharedArena::trim() { discard(Clock::time_point::max(), 0); }

/// Takes the pages of what was kept at `last` or before, and of the oldest beyond the bound. That
/// takes the system a while, so others can use the arena meanwhile.
void SharedArena::discard(Clock::time_point last, uint64_t kept_bytes_max) {
  while (auto range = take_oldest(last, kept_bytes_max)) {
    if (!file_->is_retired()) file_->discard(range->offset, range->bytes);
    std::lock_guard lock(mutex_);
    add_unused(*range);
  }
}

std::optional<SharedArena::Range> SharedArena::take_oldest(
    Clock::time_point last, uint64_t kept_bytes_max) {
  std::lock_guard lock(mutex_);
  auto oldest = std::ranges::min_element(
      kept_, {}, [](const auto& blocks) { return blocks.second.front().since; });
  if (oldest == kept_.end()) return {};
  auto& [bytes, blocks] = *oldest;
  if (blocks.front().since > last && kept_bytes_ <= kept_bytes_max) return {};
  Range range{.offset = blocks.front().offset, .bytes = bytes};
  kept_bytes_ -= bytes;
  blocks.pop_front();
  if (blocks.empty()) kept_.erase(oldest);
  return range;
}

void SharedArena::add_unused(Range range) {
  auto next = unused_.lower_bound(range.offset);
  if (next != unused_.end() && next->first == range.offset + range.bytes) {
    range.bytes += next->second;
    remove_unused(next++);
  }
  if (next != unused_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == range.offset) {
      range = {.offset = before->first, .bytes = before->second + range.bytes};
      remove_unused(before);
    }
  }
  unused_.emplace(range.offset, range.bytes);
  unused_of_size_.emplace(range.bytes, range.offset);
}

void SharedArena::remove_unused(Ranges::iterator range) {
  unused_of_size_.erase({range->second, range->first});
  unused_.erase(range);
}

uint64_t SharedArena::kept_bytes() const {
  std::lock_guard lock(mutex_);
  return kept_bytes_;
}

}  // namespace troupe::cpu
