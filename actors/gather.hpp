#pragma once

#include <caf/all.hpp>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// One answer combined from several: when all of them have arrived, delivers the combined value, or
/// the first error. Its maker calls expect() once for each answer, and arrived() once for itself
/// when it has sent all requests.
template <class Value>
struct Gather {
  explicit Gather(caf::typed_response_promise<Status, Value> promise)
      : promise(std::move(promise)) {}

  void expect() { ++pending; }
  void arrived(const Status& status) {
    if (error.ok()) error = status;
    if (--pending > 0) return;
    if (error.ok()) promise.deliver(Status(), std::move(value));
    else promise.deliver(error, Value());
  }

  caf::typed_response_promise<Status, Value> promise;
  Value value;
  Status error;
  size_t pending = 1;
};

}  // namespace troupe
