// Memory of emulated cards, and of the host for them. Blocks that other processes may open are
// files in memory; all others lie on the heap, where sanitizers see accesses outside of them. With
// guarded cards there are only blocks of guard.cpp.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

#include "troupe/tests/cuda/emulated/state.hpp"

namespace troupe::emulated {
namespace {

/// As with CUDA, smaller blocks may lie beside others and cannot be shared alone.
constexpr size_t shared_bytes_min = size_t{2} << 20;

/// Memory that begins at an address.
struct Block {
  size_t bytes = 0;
  int card = 0;
  int file = -1;
};

/// Where another process finds a block.
struct Place {
  int process, file;
  size_t bytes;
};
static_assert(sizeof(Place) <= sizeof(cudaIpcMemHandle_t));

class Blocks {
 public:
  void add(void* memory, const Block& block) {
    std::lock_guard lock(mutex_);
    if (block.card >= 0) allocated_[block.card] += block.bytes;
    blocks_[static_cast<const char*>(memory)] = block;
  }
  std::optional<Block> take(void* memory) {
    std::lock_guard lock(mutex_);
    auto found = blocks_.find(static_cast<const char*>(memory));
    if (found == blocks_.end()) return std::nullopt;
    auto block = found->second;
    if (block.card >= 0) allocated_[block.card] -= block.bytes;
    blocks_.erase(found);
    return block;
  }
  std::optional<Block> find(const void* memory, size_t bytes) {
    std::lock_guard lock(mutex_);
    const auto* begin = static_cast<const char*>(memory);
    auto next = blocks_.upper_bound(begin);
    if (next == blocks_.begin()) return std::nullopt;
    auto [from, block] = *std::prev(next);
    if (begin + bytes > from + block.bytes) return std::nullopt;
    return block;
  }
  size_t allocated(int card) {
    std::lock_guard lock(mutex_);
    return allocated_[card];
  }

 private:
  std::mutex mutex_;
  std::map<const char*, Block> blocks_;
  size_t allocated_[cards] = {};
};

Blocks& of_cards() {
  static auto* blocks = new Blocks;
  return *blocks;
}
/// Of the host, pinned.
Blocks& of_host() {
  static auto* blocks = new Blocks;
  return *blocks;
}
/// Of other processes.
Blocks& opened() {
  static auto* blocks = new Blocks;
  return *blocks;
}

/// Of just that size, so that sanitizers see accesses behind it. Null where there is no memory.
void* allocate(size_t alignment, size_t bytes) {
  void* memory = nullptr;
  return ::posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

void* map(int file, size_t bytes) {
  auto* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace
}  // namespace troupe::emulated

using namespace troupe::emulated;

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  if (is_forbidden_now()) return failed(cudaErrorStreamCaptureUnsupported);
  if (of_cards().allocated(current_card()) + bytes > card_bytes)
    return failed(cudaErrorMemoryAllocation);
  Block block{.bytes = bytes, .card = current_card()};
  if (are_cards_guarded()) {
    *memory = allocate_guarded(bytes);
  } else if (bytes >= shared_bytes_min) {
    block.file = ::memfd_create("card", MFD_CLOEXEC);
    if (::ftruncate(block.file, static_cast<off_t>(bytes)) != 0)
      return failed(cudaErrorMemoryAllocation);
    *memory = map(block.file, bytes);
  } else {
    *memory = allocate(256, bytes);
    if (*memory) std::memset(*memory, 0xff, bytes);  // NaN: what lies there is nobody's number
  }
  if (!*memory) return failed(cudaErrorMemoryAllocation);
  of_cards().add(*memory, block);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  if (is_forbidden_now()) return failed(cudaErrorStreamCaptureUnsupported);
  cudaDeviceSynchronize();
  auto block = of_cards().take(memory);
  if (!block) return failed(cudaErrorInvalidValue);
  if (are_cards_guarded()) {
    free_guarded(memory, block->bytes);
  } else if (block->file < 0) {
    std::free(memory);
  } else {
    ::munmap(memory, block->bytes);
    ::close(block->file);
  }
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  if (is_forbidden_now()) return failed(cudaErrorStreamCaptureUnsupported);
  *memory = allocate(4096, bytes);
  if (!*memory) return failed(cudaErrorMemoryAllocation);
  of_host().add(*memory, {.bytes = bytes});
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
  if (is_forbidden_now()) return failed(cudaErrorStreamCaptureUnsupported);
  cudaDeviceSynchronize();
  if (!of_host().take(memory)) return failed(cudaErrorInvalidValue);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory) {
  auto block = of_cards().find(memory, 1);
  if (!block || block->file < 0) return failed(cudaErrorInvalidValue);
  Place place{.process = ::getpid(), .file = block->file, .bytes = block->bytes};
  *handle = {};
  std::memcpy(handle->reserved, &place, sizeof place);
  return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned) {
  Place place;
  std::memcpy(&place, handle.reserved, sizeof place);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", place.process, place.file);
  auto file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return failed(cudaErrorInvalidValue);
  *memory = map(file, place.bytes);
  ::close(file);
  if (!*memory) return failed(cudaErrorMemoryAllocation);
  opened().add(*memory, {.bytes = place.bytes, .card = -1});
  return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void* memory) {
  auto block = opened().take(memory);
  if (!block) return failed(cudaErrorInvalidValue);
  ::munmap(memory, block->bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  // CUDA copies memory that is not pinned, too, but then the host waits, which no caller wants.
  if ((kind == cudaMemcpyHostToDevice && !of_host().find(from, bytes)) ||
      (kind == cudaMemcpyDeviceToHost && !of_host().find(to, bytes)))
    return failed(cudaErrorInvalidValue);
  // CUDA can capture it, but each replay would copy to or from what the host has there then.
  if (kind != cudaMemcpyDeviceToDevice && cannot_be_captured(stream))
    return failed(cudaErrorStreamCaptureUnsupported);
  stream->put([=] { std::memmove(to, from, bytes); });
  return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(
    void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  stream->put([=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
