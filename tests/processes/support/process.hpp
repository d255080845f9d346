#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/tests/test_timeout.hpp"

namespace troupe::testing {

/// A child process with captured output. It is killed by the destructor, and when this process
/// ends.
class Process {
 public:
  struct Options {
    std::string program;  // a path
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;  // besides that of this process
  };

  explicit Process(const Options& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  /// After SIGSTOP none of its threads runs any more when this returns.
  void send(int signal) const;

  /// The next line of standard output, without its end. Empty at the end of the output, or if none
  /// came in time.
  std::optional<std::string> read_line(std::chrono::milliseconds timeout = test_timeout);
  /// Its exit code, or 128 plus its signal's number; empty if it still runs at the timeout. Reads
  /// the output meanwhile, so that the child does not block on a full pipe.
  std::optional<int> wait(std::chrono::milliseconds timeout = test_timeout);

  /// The output so far, without lines that were read; complete after wait().
  const std::string& output() const { return output_.text; }
  const std::string& errors() const { return errors_.text; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Pipe {
    int fd = -1;
    std::string text;
  };

  bool is_open() const { return output_.fd >= 0 || errors_.fd >= 0; }
  bool read_some(Time deadline);

  pid_t pid_ = -1;
  std::optional<int> exit_code_;
  Pipe output_;
  Pipe errors_;
};

}  // namespace troupe::testing
