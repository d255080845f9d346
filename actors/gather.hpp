#pragma once

#include <caf/all.hpp>

#include "troupe/graph/status.hpp"

namespace troupe {

/// One answer made of several: waits for all of them, then answers with the value they made
/// together, or with the first error. It begins by waiting for one arrived() of its maker.
template <class Value>
struct Gather {
  explicit Gather(caf::typed_response_promise<Status, Value> promise)
      : promise(std::move(promise)) {}

  void expect() { ++waits_for; }
  void arrived(const Status& status) {
    if (error.ok()) error = status;
    if (--waits_for > 0) return;
    if (error.ok()) promise.deliver(Status(), std::move(value));
    else promise.deliver(error, Value());
  }

  caf::typed_response_promise<Status, Value> promise;
  Value value;
  Status error;
  size_t waits_for = 1;
};

}  // namespace troupe
