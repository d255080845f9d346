#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/tests/patience.hpp"

namespace troupe::testing {

/// A child process whose output is read here. It is killed with its owner, and with this process.
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
  void send(int signal) const;

  /// The next line of standard output, without its end. Nothing at the end of the output, or when
  /// none came in time.
  std::optional<std::string> read_line(std::chrono::milliseconds timeout = patience);
  /// Its exit code, or 128 and its signal's number; nothing when it still runs then. Output is read
  /// meanwhile, so that it never waits for us.
  std::optional<int> wait(std::chrono::milliseconds timeout = patience);

  /// What is there of its outputs; all of them after wait(). Lines that were read are gone.
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
