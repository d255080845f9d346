#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "troupe/graph/types/shared_file.hpp"

namespace troupe::cpu {

/// Gives out the blocks of one SharedFile, so that other processes can map what lies in them.
///
/// A block that is given back keeps its pages for the next block of its size: the first use of a
/// page costs more than to copy it. What is kept beyond `kept_bytes_max`, and what nobody has taken
/// for `kept_time` when the next block is given back, loses its pages, the oldest first; the places
/// are joined. Once the file is retired, nothing is given out and nothing changes. Thread-safe.
class SharedArena {
 public:
  /// Smaller blocks would waste parts of pages.
  static constexpr size_t block_bytes_min = size_t{1} << 20;
  static constexpr std::chrono::seconds kept_time{10};

  /// The file's size bounds all blocks at a time; only those in use, and kept ones, take memory.
  SharedArena(std::shared_ptr<SharedFile> file, uint64_t kept_bytes_max);

  /// A block of at least so many bytes, aligned to a page. Null where there is no place for it.
  void* allocate(size_t bytes);
  /// Takes back what allocate(bytes) gave.
  void deallocate(void* block, size_t bytes) noexcept;

  bool contains(const void* memory) const { return file_->contains(memory); }
  const std::shared_ptr<SharedFile>& file() const { return file_; }

  /// Gives the pages of all blocks that are not in use back to the system.
  void trim();
  uint64_t kept_bytes() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Kept {
    uint64_t offset;
    Clock::time_point since;
  };
  struct Range {
    uint64_t offset;
    uint64_t bytes;
  };
  using Ranges = std::map<uint64_t, uint64_t>;  // offset, bytes

  std::optional<uint64_t> take_kept(uint64_t bytes);
  std::optional<uint64_t> take_unused(uint64_t bytes);
  std::optional<Range> take_oldest(Clock::time_point last, uint64_t kept_bytes_max);
  void discard(Clock::time_point last, uint64_t kept_bytes_max);
  void add_unused(Range range);
  void remove_unused(Ranges::iterator range);

  const std::shared_ptr<SharedFile> file_;
  const uint64_t kept_bytes_max_;

  mutable std::mutex mutex_;
  std::map<uint64_t, std::deque<Kept>> kept_;  // by size; the oldest in front
  uint64_t kept_bytes_ = 0;
  Ranges unused_;                                           // without pages
  std::set<std::pair<uint64_t, uint64_t>> unused_of_size_;  // bytes, offset
};

}  // namespace troupe::cpu
