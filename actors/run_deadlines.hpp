#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "troupe/actors/calls.hpp"
#include "troupe/actors/world/world.hpp"

namespace troupe {

/// When the runs of a session must have ended. CAF cannot take a delayed message back, so one for
/// each run would stay for the whole timeout of a run that ended at once; with this, only the
/// earliest deadline needs one.
class RunDeadlines {
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

  /// Removes and returns the runs whose time is over.
  std::vector<CallId> take_due(Time now) {
    std::vector<CallId> due;
    while (!order_.empty() && order_.begin()->first <= now) {
      due.push_back(order_.begin()->second);
      remove(due.back());
    }
    return due;
  }

  /// How long to sleep until the earliest deadline; nothing if there is none or a timer runs that
  /// ends by then. It counts as set.
  std::optional<Time> take_timer(Time now) {
    if (order_.empty() || (timer_ && *timer_ <= order_.begin()->first)) return {};
    timer_ = order_.begin()->first;
    return std::max(*timer_ - now, Time(0));
  }
  void timer_ended() { timer_.reset(); }

 private:
  std::unordered_map<CallId, Time> at_;
  std::set<std::pair<Time, CallId>> order_;
  std::optional<Time> timer_;
};

}  // namespace troupe
