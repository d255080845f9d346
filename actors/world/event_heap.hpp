#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace troupe {

/// What is to happen in a simulation, by virtual time; at the same time, in the order in which it
/// was asked for.
class EventHeap {
 public:
  using Time = std::chrono::nanoseconds;  // since the start
  using Work = std::function<void()>;

  Time now() const { return now_; }

  /// Has `work` happen at that time, or next if that is over.
  void at(Time time, Work work) {
    events_.push_back({std::max(time, now_), next_number_++, std::move(work)});
    std::ranges::push_heap(events_, Later());
  }
  void after(Time delay, Work work) { at(now_ + delay, std::move(work)); }

  /// When the next thing happens; Time::max() when nothing is left.
  Time next_time() const { return events_.empty() ? Time::max() : events_.front().time; }

  /// Lets time pass in which nothing happens.
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
