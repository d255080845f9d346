#pragma once

#include <cstddef>

namespace troupe {

/// Where tensors get their memory. Thread-safe.
class Allocator {
 public:
  static constexpr size_t alignment = 64;

  virtual ~Allocator() = default;

  /// Memory aligned to `alignment`, or null when the allocator's limit or the machine's is reached.
  virtual void* allocate(size_t bytes) = 0;
  /// Takes back what allocate(bytes) gave.
  virtual void deallocate(void* memory, size_t bytes) noexcept = 0;
};

/// The C++ heap: for tensors that belong to no device, as a client's feeds.
Allocator& heap_allocator();

}  // namespace troupe
