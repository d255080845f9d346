#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace troupe {

/// Threads that call one session take turns at running its actors. A call to an actor that another
/// thread runs is answered there, which takes two changes of threads: longer than a small step.
/// Thread-safe.
class CallerTurns {
 public:
  /// A turn, until its end.
  class Turn {
   public:
    explicit Turn(CallerTurns& turns) : turns_(turns), is_taken_(turns.take()) {}
    ~Turn() {
      if (is_taken_) turns_.give();
    }
    Turn(const Turn&) = delete;
    /// False: the thread has one already, further up its stack, or others have had theirs for
    /// longer than wait_max, as when kernels take long.
    explicit operator bool() const { return is_taken_; }

   private:
    CallerTurns& turns_;
    const bool is_taken_;
  };

 private:
  static constexpr auto wait_max = std::chrono::milliseconds(1);
  static constexpr int yields_max = 200;

  /// Spins with yields before it blocks: a waiter that has not blocked need not be woken by give().
  bool take() {
    if (holder_.load(std::memory_order_relaxed) == std::this_thread::get_id()) return false;
    for (int i = 0; i < yields_max; ++i) {
      if (try_take()) return true;
      std::this_thread::yield();
    }
    std::unique_lock lock(mutex_);
    ++blocked_;
    auto is_taken = given_.wait_for(lock, wait_max, [this] { return try_take(); });
    --blocked_;
    return is_taken;
  }
  bool try_take() {
    auto nobody = std::thread::id();
    return holder_.compare_exchange_strong(nobody, std::this_thread::get_id());
  }
  /// A waiter counts itself before it tries once more, and this looks at the count after it has
  /// given: one of them sees the other.
  void give() {
    holder_.store(std::thread::id());
    if (blocked_.load() == 0) return;
    std::lock_guard lock(mutex_);
    given_.notify_one();
  }

  std::atomic<std::thread::id> holder_{};
  std::atomic<int> blocked_ = 0;
  std::mutex mutex_;  // of what is blocked
  std::condition_variable given_;
};

}  // namespace troupe
