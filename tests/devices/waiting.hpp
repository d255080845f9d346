#pragma once

#include <functional>
#include <future>
#include <memory>

#include "troupe/graph/support/check.hpp"
#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

/// The answer of a call that answers through a callback from any thread. A missing answer stops the
/// test instead of hanging it.
template <class T>
class Waiting {
 public:
  std::function<void(T)> callback() {
    return [promise = promise_](T value) { promise->set_value(std::move(value)); };
  }
  T wait() {
    auto answer = promise_->get_future();
    CHECK(answer.wait_for(test_timeout) == std::future_status::ready);
    return answer.get();
  }

 private:
  std::shared_ptr<std::promise<T>> promise_ = std::make_shared<std::promise<T>>();
};

}  // namespace troupe::testing
