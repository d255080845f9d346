#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace troupe {

/// Runs work in its order on a thread of its own, which starts with the first. What has not begun
/// when this is destroyed never runs. Thread-safe.
class BackgroundThread {
 public:
  using Work = std::function<void()>;

  BackgroundThread() = default;
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;

  void run(Work work);

 private:
  void loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace troupe
