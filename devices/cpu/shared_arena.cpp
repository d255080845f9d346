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
  add_unused(0, file_->bytes());
}

void* SharedArena::allocate(size_t bytes) {
  if (bytes > file_->bytes()) return nullptr;
  auto size = block_bytes(bytes);
  std::lock_guard lock(mutex_);
  auto offset = take_kept(size);
  if (!offset) offset = take_unused(size);
  return offset ? file_->data() + *offset : nullptr;
}

std::optional<uint64_t> SharedArena::take_kept(uint64_t bytes) {
  auto of_size = kept_of_size_.find(bytes);
  if (of_size == kept_of_size_.end()) return {};
  auto block = kept_.find(*of_size->second.rbegin());  // the youngest: most likely in caches
  auto offset = block->second.offset;
  of_size->second.erase(block->first);
  if (of_size->second.empty()) kept_of_size_.erase(of_size);
  kept_.erase(block);
  kept_bytes_ -= bytes;
  return offset;
}

std::optional<uint64_t> SharedArena::take_unused(uint64_t bytes) {
  auto found = unused_of_size_.lower_bound({bytes, 0});
  if (found == unused_of_size_.end()) return {};
  auto [size, offset] = *found;
  remove_unused(unused_.find(offset));
  if (size > bytes) {
    unused_.emplace(offset + bytes, size - bytes);
    unused_of_size_.emplace(size - bytes, offset + bytes);
  }
  return offset;
}

void SharedArena::deallocate(void* block, size_t bytes) noexcept {
  auto now = Clock::now();
  auto offset = static_cast<uint64_t>(static_cast<std::byte*>(block) - file_->data());
  auto size = block_bytes(bytes);
  std::lock_guard lock(mutex_);
  kept_.emplace(++last_number_, Kept{.offset = offset, .bytes = size, .since = now});
  kept_of_size_[size].insert(last_number_);
  kept_bytes_ += size;
  discard_old(now);
}

void SharedArena::discard_old(Clock::time_point now) {
  while (!kept_.empty() &&
         (kept_bytes_ > kept_bytes_max_ || now - kept_.begin()->second.since > kept_time))
    discard(kept_.begin());
}

void SharedArena::discard(KeptBlocks::iterator block) {
  auto [offset, bytes, since] = block->second;
  auto of_size = kept_of_size_.find(bytes);
  of_size->second.erase(block->first);
  if (of_size->second.empty()) kept_of_size_.erase(of_size);
  kept_.erase(block);
  kept_bytes_ -= bytes;
  file_->discard(offset, bytes);
  add_unused(offset, bytes);
}

void SharedArena::add_unused(uint64_t offset, uint64_t bytes) {
  auto next = unused_.lower_bound(offset);
  if (next != unused_.end() && next->first == offset + bytes) {
    bytes += next->second;
    remove_unused(next++);
  }
  if (next != unused_.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      remove_unused(before);
    }
  }
  unused_.emplace(offset, bytes);
  unused_of_size_.emplace(bytes, offset);
}

void SharedArena::remove_unused(std::map<uint64_t, uint64_t>::iterator range) {
  unused_of_size_.erase({range->second, range->first});
  unused_.erase(range);
}

void SharedArena::trim() {
  std::lock_guard lock(mutex_);
  while (!kept_.empty()) discard(kept_.begin());
}

uint64_t SharedArena::kept_bytes() const {
  std::lock_guard lock(mutex_);
  return kept_bytes_;
}

}  // namespace troupe::cpu
