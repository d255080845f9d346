#include "troupe/graph/types/allocator.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace troupe {
namespace {

constexpr size_t huge_page_bytes = size_t{2} << 20;

class HeapAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes) override {
    return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  }
  void deallocate(void* memory, size_t) noexcept override {
    ::operator delete(memory, std::align_val_t(alignment));
  }
};

class LentMemory final : public Allocator {
 public:
  void* allocate(size_t) override { return nullptr; }
  void deallocate(void*, size_t) noexcept override {}
};

}  // namespace

Allocator& lent_memory() {
  static LentMemory lent;
  return lent;
}

Allocator& heap_allocator() {
  static HeapAllocator heap;
  return heap;
}

void prefer_huge_pages(void* begin, size_t bytes) {
  // Below that, too little of the memory would lie in huge pages.
  if (bytes < 2 * huge_page_bytes) return;
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto first = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
  auto last = (reinterpret_cast<uintptr_t>(begin) + bytes) / page * page;
  (void)::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace troupe
