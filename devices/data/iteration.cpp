#include "troupe/devices/data/iteration.hpp"

#include <algorithm>

namespace troupe::data {

void Iteration::stop() {
  std::vector<std::weak_ptr<Execution>> calls;
  {
    std::lock_guard lock(mutex_);
    is_stopped_.store(true, std::memory_order_release);
    calls.swap(calls_);
  }
  for (auto& call : calls)
    if (auto running = call.lock()) running->cancel(cancelled("the iterator is gone"));
}

void Iteration::add_call(const std::shared_ptr<Execution>& call) {
  {
    std::lock_guard lock(mutex_);
    if (!is_stopped_.load(std::memory_order_relaxed)) {
      if (calls_.size() >= calls_max_) {
        std::erase_if(calls_, [](const auto& each) { return each.expired(); });
        calls_max_ = std::max<size_t>(16, 2 * calls_.size());
      }
      calls_.push_back(call);
      return;
    }
  }
  call->cancel(cancelled("the iterator is gone"));
}

}  // namespace troupe::data
