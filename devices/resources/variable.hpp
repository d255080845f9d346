#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

class VariableUpdate;

/// A tensor in a container, which steps read and assign. A read shares the value's memory. An
/// update takes the value out and writes over it where no reader holds that memory; where one does,
/// it makes a new value, and the old one can be read meanwhile. So a reader never sees half an
/// update. Thread-safe. No call waits for an update that runs: that one runs is part of the state,
/// and the mutex is held only while the state changes.
class VariableResource final : public Resource {
 public:
  static constexpr const char* kind_name = "variable";
  /// Called with the value, which is unset where there is none, or with Cancelled.
  using Reader = std::function<void(Result<Tensor>)>;

  VariableResource(DType dtype, Shape shape)
      : dtype_(dtype), shape_(shape), description_{.dtype = dtype, .shape = shape} {}

  const char* kind() const override { return kind_name; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }

  /// An update that runs has no effect then, and readers that wait for it find no value.
  void drop() override;
  bool is_dropped() const override { return dropped_.load(std::memory_order_acquire); }

  /// While an update runs, what is true before and after it: it changes neither dtype nor shape.
  Description describe() const override;
  /// Whether a value was assigned.
  bool has_value() const;

  /// The value, or an unset tensor before the first assignment; nothing while an update writes over
  /// it.
  std::optional<Tensor> read() const {
    std::lock_guard lock(mutex_);
    if (is_written_over()) return {};
    return value_;
  }
  /// Calls `reader` once with what read() gives, as soon as that is not nothing: in this call, or
  /// on the thread that ends the update. Returns what give_up() takes.
  uint64_t read_when_updated(Reader reader);
  /// Calls that reader with Cancelled, if it still waits.
  void give_up(uint64_t reader);

  /// An update that runs has no effect then, as if it had ended just before. Without effect once
  /// dropped.
  void assign(Tensor value);

 private:
  friend class VariableUpdate;

  bool is_written_over() const { return !value_.is_set() && update_; }
  void wait_for_update(std::unique_lock<std::mutex>& lock);
  /// Calls the readers that wait, without the lock, and lets the updates that wait go on.
  void wake(std::unique_lock<std::mutex>& lock);
  /// Makes `value` the variable's, and the result of an update that runs unwanted. The old value is
  /// left in its place: a large one takes long to free, which is not done under the lock.
  void set(Tensor& value, std::unique_lock<std::mutex>& lock) {
    update_ = nullptr;
    std::swap(value_, value);
    if (is_awaited_) wake(lock);
  }

  // What each read and update uses lies side by side.
  mutable std::mutex mutex_;
  Tensor value_;                            // unset while an update writes over it
  const VariableUpdate* update_ = nullptr;  // the one that runs, unless its result is unwanted
  bool is_awaited_ = false;                 // its end, by readers_ or by other updates
  std::map<uint64_t, Reader> readers_;
  uint64_t reader_count_ = 0;
  std::condition_variable update_ended_;
  std::atomic<bool> dropped_ = false;  // changes under the mutex
  const DType dtype_;
  const Shape shape_;
  Description description_;
};

/// One update of a variable, which runs as long as this object lives. Updates of one variable
/// exclude each other: the constructor waits for the one that runs, unless an assignment has made
/// the result of that unwanted. Who updates several variables at once takes them in the order of
/// their addresses.
class VariableUpdate {
 public:
  explicit VariableUpdate(VariableResource& variable) : variable_(variable) {
    std::unique_lock lock(variable.mutex_);
    if (variable.update_) variable.wait_for_update(lock);
    if (!variable.value_.is_set()) return;
    variable.update_ = this;
    if (variable.value_.is_sole_owner()) std::swap(value_, variable.value_);
    else value_ = variable.value_;
  }
  VariableUpdate(const VariableUpdate&) = delete;
  /// Makes value() that of the variable, unless that was assigned or dropped meanwhile.
  ~VariableUpdate() {
    std::unique_lock lock(variable_.mutex_);
    if (variable_.update_ == this) variable_.set(value_, lock);
  }

  /// Unset before the first assignment. It may be replaced by one of the same dtype and shape, or
  /// written over if this is its sole owner.
  Tensor& value() { return value_; }

 private:
  VariableResource& variable_;
  Tensor value_;
};

}  // namespace troupe
