#pragma once

#include <kj/async.h>

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace troupe {

/// Work that other threads leave for the thread of an event loop.
class Inbox {
 public:
  /// Made on the loop's thread.
  Inbox() : thread_(std::this_thread::get_id()) {}

  bool is_here() const { return std::this_thread::get_id() == thread_; }

  /// Has `work` run on the loop's thread soon; from any thread. False once the inbox is closed:
  /// the work is then dropped right here.
  bool post(std::function<void()> work);

  /// Runs what is posted, until it is closed or the promise dropped. Only one at a time.
  kj::Promise<void> serve();
  void close();

 private:
  using Works = std::vector<std::function<void()>>;

  const std::thread::id thread_;
  std::mutex mutex_;
  bool is_closed_ = false;
  Works works_;
  kj::Maybe<kj::Own<kj::CrossThreadPromiseFulfiller<void>>> bell_;  // set while serve() waits
};

}  // namespace troupe
