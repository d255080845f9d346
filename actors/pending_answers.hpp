#pragma once

#include <deque>

#include <caf/all.hpp>

#include "troupe/actors/metrics.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Response promises of requests that wait for the same answer, a Status and a value; oldest first.
/// Those left when the actor ends are answered with Cancelled: CAF 0.17 would let their callers
/// wait for ever.
template <class Value>
class PendingAnswers {
 public:
  using Promise = caf::typed_response_promise<Status, Value>;

  PendingAnswers() = default;
  PendingAnswers(const PendingAnswers&) = delete;
  ~PendingAnswers() { answer_all(cancelled("the actor that should answer has ended"), Value()); }

  size_t size() const { return pending_.size(); }

  Promise add(Promise promise, Counted counted) {
    pending_.push_back({promise, std::move(counted)});
    return promise;
  }

  void answer_all(const Status& status, const Value& value) {
    for (auto& pending : std::exchange(pending_, {})) pending.promise.deliver(status, value);
  }

 private:
  struct Pending {
    Promise promise;
    Counted counted;
  };
  std::deque<Pending> pending_;
};

}  // namespace troupe
