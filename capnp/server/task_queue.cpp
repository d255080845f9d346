#include "troupe/capnp/server/task_queue.hpp"

#include <kj/exception.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace troupe {

bool TaskQueue::post(std::function<void()> task) {
  kj::Maybe<kj::Own<kj::CrossThreadPromiseFulfiller<void>>> wake_up;
  {
    std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    tasks_.push_back(std::move(task));
    wake_up = kj::mv(wake_up_);
    wake_up_ = nullptr;
  }
  KJ_IF_MAYBE (fulfiller, wake_up) (*fulfiller)->fulfill();
  return true;
}

kj::Promise<void> TaskQueue::serve() {
  Tasks tasks;
  auto wake_up = kj::newPromiseAndCrossThreadFulfiller<void>();
  {
    std::lock_guard lock(mutex_);
    if (is_closed_) return kj::READY_NOW;
    tasks = std::exchange(tasks_, {});
    if (tasks.empty()) wake_up_ = kj::mv(wake_up.fulfiller);
  }
  if (tasks.empty()) return wake_up.promise.then([this] { return serve(); });
  for (auto& task : tasks)
    KJ_IF_MAYBE (error, kj::runCatchingExceptions([&] { task(); }))
      spdlog::error("a task of the event loop failed: {}", error->getDescription().cStr());
  return kj::evalLater([this] { return serve(); });
}

void TaskQueue::close() {
  Tasks tasks;
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  tasks = std::exchange(tasks_, {});
  wake_up_ = nullptr;
}

}  // namespace troupe
