#include "troupe/devices/data/iteration.hpp"

#include <algorithm>

namespace troupe::data {

void Iteration::stop() {
  std::vector<std::weak_ptr<Execution>> calls;
  {
    std::lock_guard lock(shared_->mutex);
    shared_->is_stopped.store(true, std::memory_order_release);
    calls.swap(shared_->calls);
  }
  for (auto& call : calls)
    if (auto running = call.lock()) running->cancel(cancelled("the iterator is gone"));
}

void Iteration::add_call(const std::shared_ptr<Execution>& call) {
  {
    std::lock_guard lock(shared_->mutex);
    if (!shared_->is_stopped.load(std::memory_order_relaxed)) {
      if (shared_->calls.size() >= shared_->calls_max) {
        std::erase_if(shared_->calls, [](const auto& each) { return each.expired(); });
        shared_->calls_max = std::max<size_t>(16, 2 * shared_->calls.size());
      }
      shared_->calls.push_back(call);
      return;
    }
  }
  call->cancel(cancelled("the iterator is gone"));
}

}  // namespace troupe::data
