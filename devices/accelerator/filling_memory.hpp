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
/// that is: the allocator of the tensor, which gives out nothing. Such a tensor goes to other
/// processes only, over connections that write what is ready and wait for the rest. Thread-safe.
///
/// FM-1: bytes that are ready do not change any more.
class FillingMemory final : public Allocator {
 public:
  /// A tensor over the memory of `whole`, which it keeps. Nothing of it is ready.
  static Tensor begin(Tensor whole);
  /// That of a tensor, or null: all bytes of the tensor are there.
  static FillingMemory* of(const Tensor& tensor) {
    return dynamic_cast<FillingMemory*>(tensor.allocator());
  }

  /// From the first one on. They may be read once this has returned their number.
  size_t ready_bytes() const { return ready_bytes_.load(std::memory_order_acquire); }
  /// No more will be ready.
  bool has_failed() const { return has_failed_.load(std::memory_order_acquire); }
  /// Calls `changed` whenever more is ready and when it fails, on the thread that writes the
  /// memory, from now on.
  void on_change(std::function<void()> changed);

  /// For who writes the memory.
  void set_ready(size_t bytes);
  void fail();

  MemoryKind kind() const override { return kind_; }
  void* allocate(size_t bytes) override { return nullptr; }
  void deallocate(void* memory, size_t bytes) noexcept override {}

 private:
  explicit FillingMemory(MemoryKind kind) : kind_(kind) {}
  void tell() const;

  const MemoryKind kind_;
  std::atomic<size_t> ready_bytes_ = 0;
  std::atomic<bool> has_failed_ = false;
  mutable std::mutex mutex_;
  std::vector<std::function<void()>> listeners_;
};

/// A device whose copies to the host can be sent while they are made.
class CopiesInPieces {
 public:
  using Begun = std::function<void(const Tensor& filling)>;

  virtual ~CopiesInPieces() = default;
  /// As Device::copy_to_host(). Where the copy takes long, `begun` is called first, inside of this
  /// call, with a tensor that the copy fills; `done` is given the same memory when it is full.
  virtual void copy_to_host_in_pieces(
      const Tensor& from, const Begun& begun, std::function<void(Result<Tensor>)> done) = 0;
};

}  // namespace troupe::accelerator
