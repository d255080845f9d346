#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe::swarm {

/// A forked process that tests one seed after another, so that a crash or a hang costs one seed and
/// not the whole run. It is killed by the destructor, and when this process ends.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  /// Tests a seed: the text of the failure, empty if there is none.
  using Test = std::function<std::string(uint64_t)>;
  /// Makes the test, in the child.
  using MakeTest = std::function<Test()>;

  explicit ChildProcess(const MakeTest& make_test);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;

  /// Starts the test of a seed. The process must be idle.
  void start(uint64_t seed);
  bool is_idle() const { return !seed_; }
  uint64_t seed() const { return *seed_; }
  Clock::time_point started_at() const { return started_at_; }

  /// The descriptor that becomes readable when the test ends.
  int results() const { return results_; }
  /// Reads the result of the test; blocks until it is there. Empty if the process has ended
  /// instead; exit_report() then says how.
  std::optional<std::string> read_result();
  /// Kills the process unless it has ended, and returns its exit status and its error output.
  std::string exit_report();

 private:
  [[noreturn]] void run(const MakeTest& make_test, int seeds, int results);

  pid_t pid_ = -1;
  int seeds_ = -1;    // pipe to the child
  int results_ = -1;  // pipe from the child
  int errors_ = -1;   // file of its error output
  std::optional<uint64_t> seed_;
  Clock::time_point started_at_{};
};

}  // namespace troupe::swarm
