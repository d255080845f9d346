#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "troupe/devices/executor.hpp"

namespace troupe::data {

/// What the sources of one iteration over a dataset share. Thread-safe.
class Iteration {
 public:
  /// `seeds`: what seed() gives first.
  explicit Iteration(Device& device, std::vector<uint64_t> seeds = {})
      : device_(device), seeds_(std::move(seeds)) {}

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

  /// A random seed: the next of those that it began with, and behind them what `draw` makes.
  template <class Draw>
  uint64_t seed(const Draw& draw) {
    std::lock_guard lock(seeds_mutex_);
    if (drawn_ < seeds_.size()) return seeds_[drawn_++];
    auto seed = draw();
    if (++drawn_ <= seeds_max) seeds_.push_back(seed);
    return seed;
  }
  /// All that seed() has given, or will: an iteration that begins with them gives the same
  /// elements. Nothing where they were too many to keep.
  std::optional<std::vector<uint64_t>> seeds() const {
    std::lock_guard lock(seeds_mutex_);
    if (drawn_ > seeds_max) return {};
    return seeds_;
  }
  static constexpr size_t seeds_max = size_t{1} << 20;

 private:
  Device& device_;
  mutable std::mutex seeds_mutex_;
  std::vector<uint64_t> seeds_;
  size_t drawn_ = 0;
  std::atomic<bool> is_stopped_ = false;
  std::mutex mutex_;
  std::vector<std::weak_ptr<Execution>> calls_;
  size_t calls_max_ = 16;  // when they are looked through for ended ones
  std::map<const void*, std::shared_ptr<void>> states_;
};

}  // namespace troupe::data
