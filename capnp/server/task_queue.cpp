#include "troupe/capnp/server/task_queue.hpp"

#include <kj/debug.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <utility>

#include "troupe/graph/support/check.hpp"

namespace troupe {

TaskQueue::TaskQueue(kj::UnixEventPort& port) : thread_(std::this_thread::get_id()) {
  int event;
  KJ_SYSCALL(event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  event_ = kj::AutoCloseFd(event);
  observer_ = kj::heap<kj::UnixEventPort::FdObserver>(
      port, event, kj::UnixEventPort::FdObserver::OBSERVE_READ);
}

bool TaskQueue::post(std::function<void()> task) {
  std::lock_guard lock(mutex_);
  if (is_closed_) return false;
  tasks_.push_back(std::move(task));
  if (tasks_.size() == 1) CHECK(eventfd_write(event_, 1) == 0);
  return true;
}

kj::Promise<void> TaskQueue::serve() {
  eventfd_t posts;
  (void)eventfd_read(event_, &posts);  // where nothing was posted it fails
  Tasks tasks;
  {
    std::lock_guard lock(mutex_);
    tasks = std::exchange(tasks_, {});
  }
  for (auto& task : tasks) {
    KJ_IF_MAYBE (error, kj::runCatchingExceptions([&] { task(); }))
      spdlog::error("a task of the event loop failed: {}", error->getDescription().cStr());
    activity_.note();
  }
  if (!tasks.empty()) return kj::evalLater([this] { return serve(); });
  return KJ_ASSERT_NONNULL(observer_)->whenBecomesReadable().then([this] { return serve(); });
}

void TaskQueue::close() {
  Tasks tasks;
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  observer_ = nullptr;
  tasks = std::exchange(tasks_, {});
}

}  // namespace troupe
