#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "troupe/devices/accelerator/stream_ordered_pool.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::accelerator {

/// The memory of captured work, which stays where it is as long as the work is kept: blocks of the
/// card's pool. Within the work they serve one tensor after the other, as it runs in one order each
/// time. It lives on while a tensor in it does. Thread-safe.
class CaptureArena final : public DeviceAllocator,
                           public std::enable_shared_from_this<CaptureArena> {
 public:
  /// Takes at most so many bytes from the pool.
  CaptureArena(Device& device, std::shared_ptr<StreamOrderedPool> pool, uint64_t bytes_max)
      : device_(device), pool_(std::move(pool)), bytes_max_(bytes_max) {}
  ~CaptureArena() override;

  Device& device() const override { return device_; }
  void* allocate(size_t bytes) override;
  void deallocate(void* memory, size_t bytes) noexcept override;
  MemoryUse use() const override;
  bool contains(const void* memory) const;
  /// Whether it has refused memory since that would have been more than its most.
  bool was_too_small() const;

  /// The arena of what the thread allocates on its device; null: none.
  static CaptureArena* of_thread();

  /// Makes an arena that of the thread.
  class Scope {
   public:
    explicit Scope(CaptureArena& arena);
    ~Scope();
    Scope(const Scope&) = delete;
  };

 private:
  Device& device_;
  const std::shared_ptr<StreamOrderedPool> pool_;
  const uint64_t bytes_max_;
  mutable std::mutex mutex_;
  std::map<char*, size_t> blocks_;       // all, with their sizes
  std::multimap<size_t, char*> unused_;  // by size
  uint64_t bytes_ = 0;
  bool was_too_small_ = false;
  int64_t in_use_ = 0;
  std::shared_ptr<CaptureArena> self_;  // while a block is in use
};

}  // namespace troupe::accelerator
