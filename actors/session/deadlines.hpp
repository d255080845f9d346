#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "troupe/actors/client_messages.hpp"
#include "troupe/actors/world/world.hpp"

namespace troupe {

/// The deadlines of a session's runs. CAF cannot cancel a delayed message, so a message for each
/// run would stay in memory for the whole timeout, even of a run that ended at once. With this
/// queue only the earliest deadline needs a message.
class Deadlines {
 public:
  using Time = World::Time;

  void add(CallId call, std::chrono::milliseconds timeout, Time now) {
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 366 * 10);
    auto at = now + std::min(timeout, longest);
    if (at_.emplace(call, at).second) order_.emplace(at, call);
  }

  void remove(CallId call) {
    if (auto found = at_.extract(call)) order_.erase({found.mapped(), call});
  }

  /// Removes and returns the runs whose deadline has passed.
  std::vector<CallId> take_due(Time now) {
    std::vector<CallId> due;
    while (!order_.empty() && order_.begin()->first <= now) {
      due.push_back(order_.begin()->second);
      remove(due.back());
    }
    return due;
  }

  /// The delay of the timer that the caller has to start for the earliest deadline; none if there
  /// is no deadline, or if a timer that was started before expires by then.
  std::optional<Time> take_timer(Time now) {
    if (order_.empty() || (timer_ && *timer_ <= order_.begin()->first)) return {};
    timer_ = order_.begin()->first;
    return std::max(*timer_ - now, Time(0));
  }
  void timer_expired() { timer_.reset(); }

 private:
  std::unordered_map<CallId, Time> at_;
  std::set<std::pair<Time, CallId>> order_;
  std::optional<Time> timer_;
};

}  // namespace troupe
