#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/executor.hpp"

namespace troupe::data {

/// What the sources of one iteration over a dataset share. Thread-safe.
class Iteration {
 public:
  explicit Iteration(Device& device) : device_(device) {}

  Device& device() const { return device_; }

  /// Nobody wants its elements any more: buffers are filled no further, and calls of functions that
  /// wait for something are cancelled.
  void stop();
  bool is_stopped() const { return is_stopped_.load(std::memory_order_acquire); }

  /// A call of a function that is under way.
  void add_call(const std::shared_ptr<Execution>& call);

  /// State that later iterations over the same part of the dataset go on with, by that part. It is
  /// made the first time.
  template <class T, class Make>
  std::shared_ptr<T> state_of(const void* part, Make make) {
    std::lock_guard lock(mutex_);
    auto& state = states_[part];
    if (!state) state = make();
    return std::static_pointer_cast<T>(state);
  }

 private:
  Device& device_;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Execution>> calls_;
  size_t calls_max_ = 16;  // when they are looked through for ended ones
  std::map<const void*, std::shared_ptr<void>> states_;
};

}  // namespace troupe::data
