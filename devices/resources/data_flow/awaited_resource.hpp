#pragma once

#include <atomic>
#include <mutex>

#include "troupe/devices/resources/data_flow/waiting_calls.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// A resource at which calls wait for others to change it. No call waits with its thread: each ends
/// by a function, which is called from any thread, once, never under the mutex, and before the call
/// returns if it need not wait. Once dropped, all calls fail with Aborted.
class AwaitedResource : public Resource {
 public:
  using Done = WaitingCalls::Done;

  /// Frees the value, and ends the calls that wait.
  void drop() final {
    std::unique_lock lock(mutex_);
    is_dropped_ = true;
    clear();
    auto ended = calls_.end_all(gone());
    lock.unlock();
    ended.report();
  }
  bool is_dropped() const final { return is_dropped_.load(std::memory_order_acquire); }

  /// Ends that call with this error, if it still waits, and lets those go on that it kept back.
  void give_up(uint64_t call, const Status& why) {
    std::unique_lock lock(mutex_);
    auto ended = calls_.end(call, why);
    ended.add(calls_.run());
    lock.unlock();
    ended.report();
  }

 protected:
  static Status gone() { return aborted("the container of the resource was reset"); }

  /// Frees the value; the mutex is held.
  virtual void clear() = 0;

  /// Attempts that at once, under the mutex, and as often as the state changes until it ends.
  /// Returns what give_up() takes.
  uint64_t call(int line, WaitingCalls::Attempt attempt, Done done) {
    std::unique_lock lock(mutex_);
    if (is_dropped_) {
      lock.unlock();
      done(gone());
      return 0;
    }
    auto number = calls_.add(line, std::move(attempt), std::move(done));
    auto ended = calls_.run();
    lock.unlock();
    ended.report();
    return number;
  }

  /// A change for which nobody has to wait: under the mutex, after which those that wait are
  /// attempted.
  template <class F>
  Status change(F change) {
    std::unique_lock lock(mutex_);
    if (is_dropped_) return gone();
    auto status = change();
    auto ended = calls_.run();
    lock.unlock();
    ended.report();
    return status;
  }

  mutable std::mutex mutex_;
  WaitingCalls calls_;

 private:
  std::atomic<bool> is_dropped_ = false;  // changes under the mutex
};

}  // namespace troupe
