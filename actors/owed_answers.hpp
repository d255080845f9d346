#pragma once

#include <deque>

#include <caf/all.hpp>

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

  size_t size() const { return promises_.size(); }

  Promise owe(Promise promise) { return promises_.emplace_back(std::move(promise)); }

  void answer_all(const Status& status, const Value& value) {
    for (auto& promise : std::exchange(promises_, {})) promise.deliver(status, value);
  }

 private:
  std::deque<Promise> promises_;
};

}  // namespace troupe
