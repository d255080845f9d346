#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::accelerator {

/// Host memory of a tensor that is still being written, from its beginning to its end, and how far
/// that is: the allocator of the tensor, which gives out nothing. Such a tensor goes to connections
/// to other processes, which write what is ready and wait for the rest, and comes from them to
/// devices with memory of their own, which copy what is ready. Thread-safe.
///
/// FM-1: bytes that are ready do not change any more.
/// FM-2: it ends once: when all bytes are ready, or fails.
class FillingMemory final : public Allocator {
 public:
  /// A tensor over the memory of `whole`, which it keeps. Nothing of it is ready.
  static Tensor begin(Tensor whole);
  /// That of a tensor, or null: all bytes of the tensor are there.
  static FillingMemory* of(const Tensor& tensor) {
    return tensor.is_set() ? dynamic_cast<FillingMemory*>(tensor.allocator()) : nullptr;
  }
  /// Whether the tensor has such memory that is not full. It may be by the time of the answer.
  static bool is_filling(const Tensor& tensor) {
    auto* memory = of(tensor);
    return memory && memory->ready_bytes() < tensor.bytes();
  }

  /// From the first one on. They may be read once this has returned their number.
  size_t ready_bytes() const { return ready_bytes_.load(std::memory_order_acquire); }
  /// No more will be ready.
  bool has_failed() const { return has_failed_.load(std::memory_order_acquire); }
  /// Calls `changed` whenever more is ready and when it fails, on the thread that writes the
  /// memory, from now on until it has ended; then `changed` is released.
  void on_change(std::function<void()> changed);

  /// For who writes the memory.
  void set_ready(size_t bytes);
  void fail();

  MemoryKind kind() const override { return kind_; }
  void* allocate(size_t bytes) override { return nullptr; }
  void deallocate(void* memory, size_t bytes) noexcept override {}

 private:
  FillingMemory(MemoryKind kind, size_t bytes) : kind_(kind), bytes_(bytes) {}
  bool has_ended() const { return has_failed() || ready_bytes() == bytes_; }
  void tell();

  const MemoryKind kind_;
  const size_t bytes_;  // in all
  std::atomic<size_t> ready_bytes_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;
  std::vector<std::function<void()>> listeners_;
};

/// A device whose copies to the host can be sent while they are made, and which copies from the
/// host what is still arriving there.
class CopiesInPieces {
 public:
  using Begun = std::function<void(const Tensor& filling)>;
  using Copied = std::function<void(Tensor copy)>;

  virtual ~CopiesInPieces() = default;
  /// As Device::copy_to_host(). Where the copy takes long, `begun` is called first, inside of this
  /// call, with a tensor that the copy fills; `done` is given the same memory when it is full.
  virtual void copy_to_host_in_pieces(
      const Tensor& from, const Begun& begun, std::function<void(Result<Tensor>)> done) = 0;
  /// Copies a tensor of FillingMemory into the device's memory while it is filled. `copied` is
  /// called once `filling` is full and the copy complete, from any thread; where the device has no
  /// room, or has failed, with `filling` itself. If that fails, `copied` is released uncalled.
  virtual void copy_in_in_pieces(const Tensor& filling, Copied copied) = 0;
};

}  // namespace troupe::accelerator
