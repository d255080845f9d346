#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace troupe::cpu {

/// Gives out blocks that are so large that oneTBB's pool gives them back to the system at once.
///
/// A block that is given back is kept for the next one of its size, as by SharedArena: the first
/// use of its pages costs more than to write them. What is kept beyond `kept_bytes_max`, or for
/// `kept_time` when the next block is given back, is given back to the pool, the oldest first.
/// Thread-safe.
class LargeBlocks {
 public:
  static constexpr size_t block_bytes_min = size_t{48} << 20;
  static constexpr std::chrono::seconds kept_time{10};

  explicit LargeBlocks(uint64_t kept_bytes_max) : kept_bytes_max_(kept_bytes_max) {}
  ~LargeBlocks() { trim(); }
  LargeBlocks(const LargeBlocks&) = delete;

  /// A block of at least so many bytes, aligned as every tensor; null where there is no memory.
  void* allocate(size_t bytes);
  /// Takes back what allocate(bytes) gave.
  void deallocate(void* block, size_t bytes) noexcept;

  /// Gives all blocks that are not in use back.
  void trim();
  uint64_t kept_bytes() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    void* block;
    uint64_t bytes;
    Clock::time_point since;
  };

  void* take_kept(uint64_t bytes);
  void* take_oldest(Clock::time_point last, uint64_t kept_bytes_max);
  void discard(Clock::time_point last, uint64_t kept_bytes_max);

  const uint64_t kept_bytes_max_;
  mutable std::mutex mutex_;
  std::deque<Kept> kept_;  // the oldest in front
  uint64_t kept_bytes_ = 0;
};

}  // namespace troupe::cpu
