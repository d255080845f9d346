#include "troupe/devices/accelerator/pinned_pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace troupe::accelerator {
namespace {

constexpr size_t block_bytes_min = 4096;

size_t rounded(size_t bytes) { return std::bit_ceil(std::max(bytes, block_bytes_min)); }
size_t class_of(size_t rounded_bytes) {
  return static_cast<size_t>(std::countr_zero(rounded_bytes));
}

}  // namespace

/// Deletes itself when the pool and the last of its memory are released, in either order.
class PinnedPool::Blocks final : public Allocator {
 public:
  Blocks(std::shared_ptr<Driver> driver, PinnedOptions options)
      : driver_(std::move(driver)), options_(options) {}

  MemoryKind kind() const override { return MemoryKind::pinned; }

  void* allocate(size_t bytes) override {
    if (bytes > options_.limit_bytes) return nullptr;
    auto size = rounded(bytes);
    {
      std::lock_guard lock(mutex_);
      if (in_use_ + size > std::max<uint64_t>(options_.limit_bytes, size)) return nullptr;
      in_use_ += size;
      ++references_;
      auto& kept = kept_[class_of(size)];
      if (!kept.empty()) {
        auto* memory = kept.back();
        kept.pop_back();
        cached_ -= size;
        return memory;
      }
    }
    if (auto* memory = driver_->allocate_pinned(size)) return memory;
    release(size);
    return nullptr;
  }

  void deallocate(void* memory, size_t bytes) noexcept override {
    auto size = rounded(bytes);
    bool is_kept = false;
    {
      std::lock_guard lock(mutex_);
      is_kept = !is_closed_ && cached_ + size <= options_.cached_bytes;
      if (is_kept) {
        kept_[class_of(size)].push_back(memory);
        cached_ += size;
      }
    }
    if (!is_kept) driver_->deallocate_pinned(memory, size);
    release(size);
  }

  MemoryUse use() const override {
    std::lock_guard lock(mutex_);
    return {.bytes_in_use = in_use_, .limit_bytes = options_.limit_bytes};
  }

  uint64_t cached_bytes() const {
    std::lock_guard lock(mutex_);
    return cached_;
  }

  void trim() {
    std::array<std::vector<void*>, 64> given;
    {
      std::lock_guard lock(mutex_);
      given.swap(kept_);
      cached_ = 0;
    }
    for (size_t i = 0; i < given.size(); ++i)
      for (auto* memory : given[i]) driver_->deallocate_pinned(memory, size_t{1} << i);
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      is_closed_ = true;
    }
    trim();
    release(0);
  }

 private:
  void release(size_t bytes) noexcept {
    std::unique_lock lock(mutex_);
    in_use_ -= bytes;
    if (--references_ > 0) return;
    lock.unlock();
    delete this;
  }

  const std::shared_ptr<Driver> driver_;
  const PinnedOptions options_;
  mutable std::mutex mutex_;
  std::array<std::vector<void*>, 64> kept_;  // by the logarithm of their size
  uint64_t in_use_ = 0;
  uint64_t cached_ = 0;
  uint64_t references_ = 1;
  bool is_closed_ = false;
};

PinnedPool::PinnedPool(std::shared_ptr<Driver> driver, PinnedOptions options)
    : blocks_(new Blocks(std::move(driver), options), std::mem_fn(&Blocks::close)) {}

PinnedPool::operator Allocator&() const { return *blocks_; }
uint64_t PinnedPool::cached_bytes() const { return blocks_->cached_bytes(); }
void PinnedPool::trim() { blocks_->trim(); }

}  // namespace troupe::accelerator
