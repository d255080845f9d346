#pragma once

#include <functional>
#include <memory>
#include <thread>

namespace troupe {

/// Runs work in its order on a thread of its own, which starts with the first. What has not begun
/// when this is destroyed never runs. Thread-safe.
class BackgroundThread {
 public:
  using Work = std::function<void()>;

  BackgroundThread();
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;

  /// The work must not throw.
  void run(Work work);

 private:
  struct Queue;

  static void loop(const std::shared_ptr<Queue>& queue);

  std::shared_ptr<Queue> queue_;
  std::thread thread_;
};

}  // namespace troupe
