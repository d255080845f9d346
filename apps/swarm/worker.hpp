#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe::swarm {

/// A child process that works on one number after the other, so that a crash or a hang costs one of
/// them and not all. It is killed with its owner, and with this process.
class Worker {
 public:
  using Clock = std::chrono::steady_clock;
  /// What is wrong with a number; empty if nothing is.
  using Work = std::function<std::string(uint64_t)>;
  /// Makes the work, in the child.
  using Begin = std::function<Work()>;

  explicit Worker(const Begin& begin);
  ~Worker();
  Worker(const Worker&) = delete;

  /// Has it work on a number. It must be idle.
  void give(uint64_t number);
  bool is_idle() const { return !number_; }
  uint64_t number() const { return *number_; }
  Clock::time_point given_at() const { return given_at_; }

  /// To be polled for an answer.
  int answers() const { return answers_; }
  /// What the work said of the number, which is there to be read. Nothing if the child has ended
  /// instead; then obituary() says how.
  std::optional<std::string> take();
  /// Ends it, if it has not ended, and says how it did, with what it wrote on its error output.
  std::string obituary();

 private:
  [[noreturn]] void work(const Begin& begin, int numbers, int answers);

  pid_t pid_ = -1;
  int numbers_ = -1;  // pipes and a file
  int answers_ = -1;
  int errors_ = -1;
  std::optional<uint64_t> number_;
  Clock::time_point given_at_{};
};

}  // namespace troupe::swarm
