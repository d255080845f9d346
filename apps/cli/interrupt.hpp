#pragma once

#include <chrono>
#include <csignal>

namespace troupe::cli {

/// Takes SIGINT and SIGTERM while it exists, so that a command can end in order. One at a time;
/// threads that were started before must not unblock them.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that arrived before that time, or 0.
  int wait_until(std::chrono::steady_clock::time_point time);
  /// A descriptor that can be read when a signal has arrived; read it by take().
  int descriptor() const { return descriptor_; }
  int take();

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace troupe::cli
