#pragma once

#include <functional>
#include <utility>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// One answer combined from several: when all of them have arrived, calls back with the combined
/// value and the first error. Its maker calls expect() once for each answer, and arrived() once for
/// itself when it has sent all requests.
template <class Value>
struct Gather {
  using Then = std::function<void(Status, Value)>;

  explicit Gather(Then then) : then(std::move(then)) {}

  void expect() { ++pending; }
  void arrived(const Status& status) {
    if (error.ok()) error = status;
    if (--pending == 0) then(std::move(error), std::move(value));
  }

  Then then;
  Value value{};
  Status error;
  size_t pending = 1;
};

}  // namespace troupe
