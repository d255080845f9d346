#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace troupe {

class SharedFile;

/// The bytes that an allocator has in use, and its limit.
struct MemoryUse {
  uint64_t bytes_in_use = 0;
  uint64_t limit_bytes = 0;  // 0: no limit, and not counted
};

/// Where memory is, which decides who may read it.
enum class MemoryKind : uint8_t {
  host,
  pinned,  // host memory that devices copy from and to without the host's help
  device,  // not readable by the host
};

/// Where tensors get their memory. Thread-safe.
class Allocator {
 public:
  static constexpr size_t alignment = 64;

  virtual ~Allocator() = default;

  virtual MemoryKind kind() const { return MemoryKind::host; }

  /// Memory aligned to `alignment`, or null when the allocator's limit or the machine's is reached.
  virtual void* allocate(size_t bytes) = 0;
  /// Takes back what allocate(bytes) gave.
  virtual void deallocate(void* memory, size_t bytes) noexcept = 0;
  /// Of this moment: other threads may allocate meanwhile.
  virtual MemoryUse use() const { return {}; }
  /// The file that some of its memory lies in, so that other processes can map it; null: none.
  virtual std::shared_ptr<SharedFile> shared_file() const { return nullptr; }
};

/// The C++ heap: for tensors that belong to no device, as a client's feeds.
Allocator& heap_allocator();

/// The allocator of tensors that lie in the memory of another process: it gives out nothing. Who
/// keeps a tensor copies it where it has that allocator.
Allocator& lent_memory();

/// Asks the system to back that memory by huge pages, where it is large: its first use then costs a
/// page fault for each 2 MiB and not for each 4 KiB, which is most of the time that it takes to
/// receive a tensor into fresh memory. But one byte then takes 2 MiB, so it is not for memory that
/// may stay empty. Only a hint: a system without huge pages ignores it.
void prefer_huge_pages(void* begin, size_t bytes);

}  // namespace troupe
