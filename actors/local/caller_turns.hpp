#pragma once

#include <atomic>
#include <chrono>
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

  /// Yields at first: who has the turn need not wake anybody who does, at its end.
  bool take() {
    const auto me = std::this_thread::get_id();
    if (holder_.load(std::memory_order_relaxed) == me) return false;
    auto is_taken = mutex_.try_lock();
    for (int i = 0; i < yields_max && !is_taken; ++i) {
      std::this_thread::yield();
      is_taken = mutex_.try_lock();
    }
    if (!is_taken && !mutex_.try_lock_for(wait_max)) return false;
    holder_.store(me, std::memory_order_relaxed);
    return true;
  }
  void give() {
    holder_.store(std::thread::id(), std::memory_order_relaxed);
    mutex_.unlock();
  }

  std::timed_mutex mutex_;
  std::atomic<std::thread::id> holder_{};
};

}  // namespace troupe
