#pragma once

#include <chrono>
#include <csignal>

namespace troupe {

/// Takes SIGINT and SIGTERM while it exists, so that a program can end in order. One at a time;
/// threads that were started before must not unblock them.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that arrived before that time, or 0: then it is that time, or wake() was called.
  int wait_until(std::chrono::steady_clock::time_point time);
  /// Ends a wait, or the next one. Any thread.
  void wake();
  /// A descriptor that can be read when a signal has arrived; read it by take().
  int descriptor() const { return descriptor_; }
  int take();

 private:
  sigset_t before_{};
  int descriptor_ = -1;
  int woken_ = -1;
};

}  // namespace troupe
