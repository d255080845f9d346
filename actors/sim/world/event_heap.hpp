#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace troupe {

/// The events of a simulation in the order of virtual time; events of the same time run in the
/// order in which they were added.
class EventHeap {
 public:
  using Time = std::chrono::nanoseconds;  // since the start
  using Work = std::function<void()>;

  Time now() const { return now_; }

  /// Runs `work` at that time, or next if the time has passed.
  void at(Time time, Work work) {
    events_.push_back({std::max(time, now_), next_number_++, std::move(work)});
    std::ranges::push_heap(events_, Later());
  }
  void after(Time delay, Work work) { at(now_ + delay, std::move(work)); }

  /// The time of the next event; Time::max() when there is none.
  Time next_time() const { return events_.empty() ? Time::max() : events_.front().time; }

  /// Moves the time forward; there must be no event before.
  void advance_to(Time time) { now_ = time; }

  void run_next() {
    std::ranges::pop_heap(events_, Later());
    auto event = std::move(events_.back());
    events_.pop_back();
    now_ = event.time;
    event.work();
  }

 private:
  struct Event {
    Time time;
    uint64_t number;
    Work work;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };

  Time now_{0};
  uint64_t next_number_ = 0;
  std::vector<Event> events_;
};

}  // namespace troupe
