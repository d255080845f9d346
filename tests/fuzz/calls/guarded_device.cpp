#include "troupe/tests/fuzz/calls/guarded_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace troupe::fuzz {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr size_t guard_bytes = 0;  // the sanitizer has its own
#else
constexpr size_t guard_bytes = Allocator::alignment;
#endif
constexpr unsigned char guard = 0x5c;

}  // namespace

GuardedAllocator::GuardedAllocator(uint64_t limit_bytes, unsigned char fill)
    : limit_bytes_(limit_bytes), fill_(fill) {}

void* GuardedAllocator::allocate(size_t bytes) {
  if (bytes > limit_bytes_ || in_use_.fetch_add(bytes) > limit_bytes_ - bytes) {
    if (bytes <= limit_bytes_) in_use_.fetch_sub(bytes);
    return nullptr;
  }
  void* memory = nullptr;
  CHECK(posix_memalign(&memory, alignment, bytes + guard_bytes) == 0);
  std::memset(memory, fill_, bytes);
  std::memset(static_cast<char*>(memory) + bytes, guard, guard_bytes);
  return memory;
}

void GuardedAllocator::deallocate(void* memory, size_t bytes) noexcept {
  const auto* end = static_cast<unsigned char*>(memory) + bytes;
  if (std::any_of(end, end + guard_bytes, [](auto byte) { return byte != guard; }))
    was_overrun_ = true;
  std::free(memory);
  in_use_ -= bytes;
}

MemoryUse GuardedAllocator::use() const {
  return {.bytes_in_use = in_use_, .limit_bytes = limit_bytes_};
}

}  // namespace troupe::fuzz
