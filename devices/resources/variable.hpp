#pragma once

#include <atomic>
#include <mutex>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// A tensor in a container, which steps read and assign. A read shares the value's memory; an
/// update writes in place where no reader holds that memory and makes a new copy where one does, so
/// a reader never sees half an update. Thread-safe.
class VariableResource final : public Resource {
 public:
  static constexpr const char* kind_name = "variable";

  VariableResource(DType dtype, Shape shape) : dtype_(dtype), shape_(shape) {}

  const char* kind() const override { return kind_name; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }

  void drop() override {
    std::lock_guard lock(mutex_);
    dropped_ = true;
    value_ = Tensor();
  }
  /// Does not wait for an update that runs.
  bool is_dropped() const override { return dropped_.load(std::memory_order_acquire); }

  Description describe() const override {
    std::lock_guard lock(mutex_);
    if (!value_.is_set()) return {.dtype = dtype_, .shape = shape_};
    return {.dtype = dtype_, .shape = value_.shape(), .bytes = value_.bytes()};
  }

  /// The value, or an unset tensor before the first assignment.
  Tensor read() const {
    std::lock_guard lock(mutex_);
    return value_;
  }

  /// Without effect once dropped.
  void assign(Tensor value) {
    std::lock_guard lock(mutex_);
    if (!dropped_) value_ = std::move(value);
  }

  /// Calls `update` with the value, which it may replace, while no other update runs.
  template <class F>
  Status update(F update_value) {
    std::lock_guard lock(mutex_);
    return update_value(value_);
  }

 private:
  const DType dtype_;
  const Shape shape_;
  mutable std::mutex mutex_;
  Tensor value_;
  std::atomic<bool> dropped_ = false;  // changes under the mutex
};

}  // namespace troupe
