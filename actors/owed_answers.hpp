#pragma once

#include <deque>

#include <caf/all.hpp>

#include "troupe/actors/gauges.hpp"
#include "troupe/graph/status.hpp"

namespace troupe {

/// The answers that an actor still owes, oldest first; each is a Status and a value. Those left
/// when the actor ends become errors: CAF 0.17 would let their callers wait for ever.
template <class Value>
class OwedAnswers {
 public:
  using Promise = caf::typed_response_promise<Status, Value>;

  OwedAnswers() = default;
  OwedAnswers(const OwedAnswers&) = delete;
  ~OwedAnswers() { answer_all(cancelled("the actor that should answer has ended"), Value()); }

  size_t size() const { return owed_.size(); }

  Promise owe(Promise promise, Counted counted) {
    owed_.push_back({promise, std::move(counted)});
    return promise;
  }

  void answer_all(const Status& status, const Value& value) {
    for (auto& owed : std::exchange(owed_, {})) owed.promise.deliver(status, value);
  }

 private:
  struct Owed {
    Promise promise;
    Counted counted;
  };
  std::deque<Owed> owed_;
};

}  // namespace troupe
