#pragma once

#include <ostream>
#include <sstream>
#include <string>

namespace troupe::testing {

/// What is written to a stream while it lives.
class CapturedText {
 public:
  explicit CapturedText(std::ostream& stream)
      : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~CapturedText() { stream_.rdbuf(before_); }
  CapturedText(const CapturedText&) = delete;

  std::string text() const { return text_.str(); }

 private:
  std::ostream& stream_;
  std::ostringstream text_;
  std::streambuf* before_;
};

}  // namespace troupe::testing
