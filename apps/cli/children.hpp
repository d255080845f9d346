#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "troupe/graph/support/interrupt.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::cli {

/// Child processes whose output is passed on line by line, each line with the child's label before
/// it, and which end together.
class Children {
 public:
  struct Command {
    std::string label;
    std::vector<std::string> words;                  // a program and its arguments
    std::map<std::string, std::string> environment;  // besides that of this process
    /// It has this process's input and output to itself, and its end ends all.
    bool is_client = false;
  };

  Children() = default;
  /// Kills those that still run.
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// NotFound: there is no such program.
  Status start(const Command& command);
  /// Waits until all have ended; returns the client's exit code, or that of the first that failed,
  /// or 0. When one fails, the client ends, or this process gets SIGINT or SIGTERM, sends SIGTERM
  /// to all; sends SIGKILL at a second signal, or when they have not ended after the time that a
  /// node takes.
  int run();

 private:
  struct Child {
    std::string label;
    pid_t pid = -1;    // -1 once it has ended
    int output = -1;   // -1 once it is closed
    std::string line;  // what came of an unfinished one
    bool is_client = false;
  };

  void signal_all(int signal);
  void stop_all();
  void pass_on(Child& child);
  void print(const Child& child, std::string_view line) const;
  void take_signal();
  void collect_ended();
  bool is_over() const;

  Interrupt interrupt_;  // from the start: children inherit nothing of it
  std::vector<std::unique_ptr<Child>> children_;
  int exit_code_ = 0;
  bool is_stopping_ = false;
  std::chrono::steady_clock::time_point killed_at_;  // once it is stopping
};

}  // namespace troupe::cli
