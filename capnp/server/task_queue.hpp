#pragma once

#include <kj/async.h>

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe {

/// Tasks that any thread posts and the thread of one event loop runs, in order.
class TaskQueue {
 public:
  /// Constructed on the loop's thread.
  TaskQueue() : thread_(std::this_thread::get_id()) {}

  /// Whether the caller is on the loop's thread.
  bool is_loop_thread() const { return std::this_thread::get_id() == thread_; }

  /// Queues `task` for the loop's thread and wakes the loop; from any thread. Once the queue is
  /// closed it returns false, and the task is destroyed on the calling thread.
  bool post(std::function<void()> task);

  /// Runs posted tasks until the queue is closed or the promise is dropped; what a task throws is
  /// logged. One call at a time.
  kj::Promise<void> serve();
  /// Drops the tasks that have not run.
  void close();

 private:
  using Tasks = std::vector<std::function<void()>>;

  const std::thread::id thread_;
  std::mutex mutex_;
  bool is_closed_ = false;
  Tasks tasks_;
  kj::Maybe<kj::Own<kj::CrossThreadPromiseFulfiller<void>>> wake_up_;  // set while serve() waits
};

}  // namespace troupe
