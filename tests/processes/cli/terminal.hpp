#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace troupe::testing {

/// A program on a pseudo-terminal, as a person has it. It is killed by the destructor.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& words);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// As from a keyboard: "\x03" is Ctrl-C.
  void type(const std::string& keys) const;
  /// Reads until that text has been shown, after what was read before; false if it does not come.
  bool reads(const std::string& text);
  /// Its exit code, or 128 plus its signal's number; -1 if it does not end.
  int wait();

 private:
  bool read_some();

  pid_t pid_ = -1;
  int screen_ = -1;
  std::string shown_;  // and not yet looked for
};

}  // namespace troupe::testing
