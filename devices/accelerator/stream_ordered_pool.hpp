#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "troupe/devices/accelerator/driver.hpp"
#include "troupe/devices/accelerator/peer_memory.hpp"
#include "troupe/graph/types/allocator.hpp"

namespace troupe::accelerator {

struct PoolOptions {
  uint64_t limit_bytes = 0;
  /// Takes memory from the driver when it is needed; else all of the limit by reserve().
  bool grows = true;
  /// Keeps what is given back for those who come next. Else each block is memory of its own, of
  /// just its size, for tools that find accesses outside of it: the driver's calls take longer than
  /// most kernels.
  bool keeps = true;
};

/// The memory of a card, given out in the order of its streams: a block may be given out again
/// while work that uses it has not run yet, since work of its next user comes behind that.
/// Thread-safe.
///
/// SP-1: memory is given back once all work that uses it was put on the compute lane, or is done.
/// SP-2: a block for the compute lane needs no wait. One for another lane is one that no work uses
///       any more, as far as is known; where there is none, the lane waits for the compute lane.
/// SP-3: what it takes from the driver is never more than the limit.
/// SP-4: a region that is shared is not given back to the driver while anybody holds it.
class StreamOrderedPool {
 public:
  StreamOrderedPool(std::shared_ptr<Driver> driver, PoolOptions options);
  ~StreamOrderedPool();

  /// Takes all of the limit from the driver, or as much of it as there is.
  /// ResourceExhausted if that is less than a half.
  Status reserve();

  /// Memory for work on that lane, aligned to 256 bytes; null where the limit or the card's memory
  /// is reached.
  void* allocate(size_t bytes, Lane lane = Lane::compute);
  void deallocate(void* memory, size_t bytes) noexcept;
  /// Gives memory that nobody uses back to the driver, by whole regions.
  void trim();

  /// The region that memory lies in which allocate() gave, for other processes. Unavailable where
  /// the driver shares none.
  Result<std::shared_ptr<const SharedRegion>> share(const void* memory);

  /// Who allocates on this thread from now on, for describe(): the name of an op. Returns the name
  /// before. The text must live as long as the pool.
  static const char* set_holder(const char* name);

  /// Notes the present end of the compute lane, before when_reached() is asked for it; what was
  /// given back before is free for all lanes once passed() is called with the mark.
  uint64_t mark();
  void passed(uint64_t mark);

  MemoryUse use() const;
  uint64_t bytes_reserved() const;
  /// "3.1 GiB of 4 GiB are in use: 1.0 GiB by MatMul (2 tensors), ...; 0.2 GiB lie idle in 3
  /// pieces, the largest of 0.1 GiB".
  std::string describe() const;

 private:
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace troupe::accelerator
