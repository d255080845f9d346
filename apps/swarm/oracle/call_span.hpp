#pragma once

#include <algorithm>
#include <optional>

#include "troupe/apps/swarm/oracle/failure_oracle.hpp"

namespace troupe::swarm {

/// When a step that puts something into a shared resource, or takes something out, began and ended
/// for its client, and what became of it.
struct CallSpan {
  enum class State : uint8_t { pending, done, failed };

  sim::Time began{0};
  sim::Time ended = sim::Time::max();
  State state = State::pending;

  void end(sim::Time now, bool ok) {
    ended = now;
    state = ok ? State::done : State::failed;
  }
  bool is_done() const { return state == State::done; }
  /// It had taken effect when the other began.
  bool is_done_before(const CallSpan& other) const { return is_done() && ended < other.began; }
};

/// A step that puts something into a shared resource. What it put in is lost with the resource:
/// when the resource's task dies, or its container is reset.
struct PutSpan : CallSpan {
  bool may_be_lost = false;
  std::optional<sim::Time> gone_at;  // since then it is surely not there any more

  /// The resource was lost after `from`, when it was last known to be there, and before `to`.
  void lose(sim::Time from, sim::Time to, bool surely) {
    if (began > to) return;
    may_be_lost = true;
    if (surely && is_done() && ended < from && !gone_at) gone_at = to;
  }
  bool is_gone_before(const CallSpan& take) const { return gone_at && *gone_at < take.began; }
};

/// A step that takes something out of a shared resource. One that has failed for its client may
/// hold what it took until its task has noticed, and so may one that has succeeded if its task was
/// not told.
struct TakeSpan : CallSpan {
  sim::Time settled = sim::Time::max();  // it holds nothing any more
  bool is_uncommitted = false;           // it has succeeded, which its task may not have heard

  void succeed(sim::Time now) {
    end(now, true);
    if (!is_uncommitted) settled = now;
  }
  void fail(sim::Time now, bool has_faults) {
    end(now, false);
    if (!has_faults) settled = now + notice_time;
  }
  /// The task has not heard that it has succeeded, and will take it for one that was given up.
  void leave_uncommitted() {
    is_uncommitted = true;
    settled = sim::Time::max();
  }
  bool may_have_held() const { return !is_done() || is_uncommitted; }
  /// No step holds anything at this time.
  void settle(sim::Time now) {
    if (state == State::failed || is_uncommitted) settled = std::min(settled, now);
  }
};

}  // namespace troupe::swarm
