#pragma once

#include <kj/async-unix.h>
#include <kj/io.h>

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "troupe/capnp/server/loop_activity.hpp"

namespace troupe {

/// Tasks that any thread posts and the thread of one event loop runs, in order.
class TaskQueue {
 public:
  /// Constructed on the loop's thread. The loop ends after close().
  explicit TaskQueue(kj::UnixEventPort& port);

  /// Whether the caller is on the loop's thread.
  bool is_loop_thread() const { return std::this_thread::get_id() == thread_; }

  /// Queues `task` for the loop's thread and wakes the loop; from any thread. Once the queue is
  /// closed it returns false, and the task is destroyed on the calling thread.
  bool post(std::function<void()> task);

  /// Runs posted tasks until the promise is dropped, before close(); what a task throws is logged.
  kj::Promise<void> serve();
  /// Drops the tasks that have not run.
  void close();

  /// That of the loop, in which each task that has run counts.
  LoopActivity& activity() { return activity_; }

 private:
  using Tasks = std::vector<std::function<void()>>;

  const std::thread::id thread_;
  LoopActivity activity_;
  kj::AutoCloseFd event_;  // an eventfd, which is readable where tasks wait
  kj::Maybe<kj::Own<kj::UnixEventPort::FdObserver>> observer_;  // until close()
  std::mutex mutex_;
  bool is_closed_ = false;
  Tasks tasks_;
};

}  // namespace troupe
