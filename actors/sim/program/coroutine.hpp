#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace troupe::sim {

/// A function that another one resumes, and that suspends itself. It has a thread of its own, for
/// thread-local state and sanitizers, but runs only while resume() waits for it: the two never run
/// at once, so what they share needs no lock.
class Coroutine {
 public:
  using Body = std::function<void()>;

  /// The body runs with the first resume(). No exception may leave it.
  explicit Coroutine(Body body) : body_(std::move(body)) {}
  /// The body must have ended, or not have begun.
  ~Coroutine();
  Coroutine(const Coroutine&) = delete;

  /// Returns when the body has suspended itself or has ended. On any thread, one at a time.
  void resume();
  /// For the body: returns with the next resume().
  void suspend();

  bool has_begun() const { return thread_.joinable(); }
  bool has_ended() const { return has_ended_; }

 private:
  void run();

  Body body_;
  std::mutex mutex_;
  std::condition_variable resumed_, suspended_;
  bool is_running_ = false;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace troupe::sim
