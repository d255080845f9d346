#pragma once

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace troupe {

/// How long an event loop polls for its next event before its thread sleeps. To wake a sleeping
/// thread takes 30 us and more on a virtual machine, as long as a small step; to poll takes time of
/// a core that would have slept. So a loop polls while its waits are short: the time doubles when a
/// wait was a little longer, and halves, down to none, when one was longer than `most`, as does the
/// halt polling of Linux (Documentation/virt/guest-halt-polling.rst). On a machine with one core it
/// does not poll. Used by one thread at a time.
class BusyPollTime {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration most = std::chrono::microseconds(200);
  static constexpr Clock::duration least = std::chrono::microseconds(20);
  static constexpr Clock::duration pause = std::chrono::milliseconds(100);

  explicit BusyPollTime(unsigned cores = std::thread::hardware_concurrency())
      : limit_(cores == 1 ? Clock::duration(0) : most) {}

  Clock::duration get(Clock::time_point now) const {
    return now < paused_until_ ? Clock::duration(0) : time_;
  }

  /// Calls `is_there` until it is true, or until it is time to sleep: false. Yields in between.
  template <class IsThere>
  bool poll(IsThere is_there) {
    auto begin = Clock::now(), now = begin;
    while (now < begin + get(now)) {
      if (is_there()) return true;
      std::this_thread::yield();
      auto yielded = std::exchange(now, Clock::now());
      this->yielded(now, now - yielded);
    }
    return false;
  }

  /// The next event came after so long a wait.
  void waited(Clock::duration wait) {
    if (wait <= time_) return;
    if (wait <= most) time_ = std::min(limit_, std::max(2 * time_, least));
    else time_ = time_ / 2 < least ? Clock::duration(0) : time_ / 2;
  }
  /// While it polled, the thread let others run, and came back after so long. Where they compute,
  /// one that polls waits until their time slice ends, and one that sleeps is woken at once: so
  /// nothing polls for a while.
  void yielded(Clock::time_point now, Clock::duration time) {
    if (time > most) paused_until_ = now + pause;
  }

 private:
  const Clock::duration limit_;
  Clock::duration time_{0};
  Clock::time_point paused_until_;
};

}  // namespace troupe
