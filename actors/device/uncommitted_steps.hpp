#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "troupe/actors/metrics.hpp"
#include "troupe/actors/node_messages.hpp"
#include "troupe/devices/resources/end_hooks.hpp"

namespace troupe {

/// The steps whose partitions have ended well on one device, and of which it is not known yet how
/// they end elsewhere: what they have taken out of queues, readers and iterators may have to be put
/// back.
///
/// HS-1: each hook that was added is called once, by end() or end_session().
class UncommittedSteps {
 public:
  /// The memory that may be held, of all steps.
  static constexpr uint64_t bytes_max = uint64_t{1} << 30;
  /// What a step takes besides what its hooks keep.
  static constexpr uint64_t bytes_each = 512;

  /// False: there is nothing to hold, or no room for it; then what was taken is taken for good.
  bool add(StepId step, EndHooks hooks, Counted counted) {
    if (hooks.empty()) return false;
    auto bytes = hooks.bytes() + bytes_each;
    if (bytes_ + bytes > bytes_max) return false;
    bytes_ += bytes;
    held_.emplace(step, Held{std::move(hooks), std::move(counted), bytes});
    return true;
  }

  /// Calls the hooks of a step, which has ended with that status everywhere. False: it is not held.
  bool end(StepId step, const Status& status) {
    auto ended = held_.extract(step);
    if (!ended) return false;
    bytes_ -= ended.mapped().bytes;
    ended.mapped().hooks.call(status);
    return true;
  }

  /// Calls the hooks of the session's steps with Cancelled, as nobody will report their ends.
  void end_session(SessionId session) {
    for (auto next = held_.lower_bound({session, 0});
         next != held_.end() && next->first.session == session;
         next = held_.lower_bound({session, 0}))
      end(next->first, cancelled("the session has ended"));
  }

 private:
  struct Held {
    EndHooks hooks;
    Counted counted;
    uint64_t bytes;
  };

  std::map<StepId, Held> held_;
  uint64_t bytes_ = 0;
};

}  // namespace troupe
