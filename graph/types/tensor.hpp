#pragma once

#include <atomic>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/graph/types/allocator.hpp"
#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// What was computed from a tensor's elements and is kept with them, as a copy in another layout.
struct DerivedData {
  virtual ~DerivedData() = default;
};

/// An n-dimensional array of one dtype, in row-major order. A handle of one pointer's size: copies
/// share the elements. Elements are written before the tensor is shared and do not change after
/// (except that a kernel may reuse the memory of an input whose only handle it holds:
/// is_sole_owner). Copying and destroying are thread-safe; the elements are in memory of an
/// Allocator.
class Tensor {
 public:
  /// Holds nothing; only is_set, assignment and destruction are allowed.
  Tensor() = default;
  Tensor(const Tensor& other) : rep_(other.rep_) {
    if (rep_) rep_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Tensor(Tensor&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Tensor() {
    if (rep_ && is_last_of(rep_)) destroy(rep_);
  }

  /// A tensor with unset elements (strings, handles and variants are empty). Fails with
  /// ResourceExhausted, naming the size, what is in use and the limit, when the allocator has no
  /// memory left; `shape` must be known.
  static Result<Tensor> allocate(DType dtype, const Shape& shape, Allocator& = heap_allocator());

  /// A tensor over memory that it does not own. It calls `release` once, from any thread, when the
  /// memory is no longer used. The memory must be aligned for the dtype and hold all elements;
  /// plain dtypes only. `place`, where there is one, is an allocator of that kind of memory.
  static Tensor alias(
      DType dtype, const Shape& shape, void* memory, std::function<void()> release,
      Allocator* place = nullptr);

  template <class T>
  static Tensor scalar(T value) {
    return of<T>({}, {std::move(value)});
  }
  /// A tensor of that shape and those elements, of which there must be just as many.
  template <class T>
  static Tensor of(const Shape& shape, std::initializer_list<T> values) {
    return of<T>(shape, std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor of(const Shape& shape, std::span<const T> values) {
    if (static_cast<int64_t>(values.size()) != shape.elements()) wrong_count(shape, values.size());
    auto tensor = allocate(dtype_of<T>(), shape);
    CHECK(tensor.ok());
    std::copy(values.begin(), values.end(), (*tensor).template mutable_data<T>());
    return *std::move(tensor);
  }
  static Tensor string(std::string value) { return scalar<std::string>(std::move(value)); }

  bool is_set() const { return rep_ != nullptr; }
  DType dtype() const { return rep_->dtype; }
  const Shape& shape() const { return rep_->shape; }
  int64_t elements() const { return rep_->elements; }
  /// Bytes of the elements as they lie in memory.
  size_t bytes() const { return static_cast<size_t>(rep_->elements) * size_of(rep_->dtype); }

  /// Where the elements are. Memory of a device holds plain dtypes only.
  MemoryKind memory() const { return rep_->memory; }
  /// The allocator of that memory; null for host memory that no allocator gave out.
  Allocator* allocator() const { return rep_->allocator; }

  /// The elements; T must be the dtype's C++ type, and the memory readable by the host.
  template <class T>
  const T* data() const {
    CHECK(dtype_of<T>() == rep_->dtype && rep_->memory != MemoryKind::device);
    return static_cast<const T*>(rep_->data);
  }
  template <class T>
  T* mutable_data() {
    CHECK(dtype_of<T>() == rep_->dtype && rep_->memory != MemoryKind::device);
    return static_cast<T*>(mutable_raw());
  }
  template <class T>
  std::span<const T> values() const {
    return {data<T>(), static_cast<size_t>(rep_->elements)};
  }
  /// The one element of a scalar, or the first.
  template <class T>
  const T& value() const {
    CHECK(rep_->elements > 0);
    return data<T>()[0];
  }
  /// The address of the elements, in whatever memory.
  const void* raw() const { return rep_->data; }
  void* mutable_raw() {
    if (rep_->derived.load(std::memory_order_relaxed)) drop_derived();
    return rep_->data;
  }

  /// True when no other handle shares the elements, so that they may be written over.
  bool is_sole_owner() const {
    return rep_->references.load(std::memory_order_acquire) == 1 && rep_->may_reuse;
  }

  /// What was last kept with the elements, by any handle; null after mutable_data() or
  /// mutable_raw(), since they may have been written. Thread-safe.
  std::shared_ptr<const DerivedData> derived() const;
  /// Keeps that until it is replaced, the elements are written or freed. Thread-safe.
  void keep_derived(std::shared_ptr<const DerivedData> derived) const;

  /// The same elements under another shape with as many.
  Tensor reshaped(const Shape& shape) const;

  /// "float32[2,2] [1 2 3 ...]", for messages and logs.
  std::string to_string(int64_t most = 8) const;

 private:
  /// Aborts, and says both counts.
  [[noreturn]] static void wrong_count(const Shape& shape, size_t given);

  struct Derived;

  // Of host memory, one block holds the header and the elements behind it.
  struct Rep {
    std::atomic<int32_t> references{1};
    DType dtype;
    MemoryKind memory;
    bool may_reuse;
    Shape shape;
    int64_t elements;
    void* data;
    size_t block_bytes;  // of the allocation; 0 for memory that is not the tensor's own
    Allocator* allocator;
    std::atomic<Derived*> derived = nullptr;
  };
  struct Alias;

  /// Gives up one handle. The only one need not say so to others: a tenth of the time.
  static bool is_last_of(Rep* rep) noexcept {
    return rep->references.load(std::memory_order_acquire) == 1 ||
           rep->references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  void drop_derived() noexcept;

  explicit Tensor(Rep* rep) : rep_(rep) {}
  static void destroy(Rep* rep) noexcept;

  Rep* rep_ = nullptr;
};

using Tensors = std::vector<Tensor>;

/// True when dtypes, shapes and all elements are the same (NaN equals nothing).
bool equal(const Tensor& a, const Tensor& b);

}  // namespace troupe
