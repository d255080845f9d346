#pragma once

#include <mutex>
#include <string>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// Why a session has ended, for the calls that come after: the session actor that could say so is
/// gone. Thread-safe.
class SessionEnd {
 public:
  /// "a reset of its container 'x'"; the first one stays.
  void set(const std::string& closed_by) {
    std::lock_guard lock(mutex_);
    if (closed_by_.empty()) closed_by_ = closed_by;
  }
  /// Whether it was closed. One that has ended with its task was not.
  bool is_closed() const {
    std::lock_guard lock(mutex_);
    return !closed_by_.empty();
  }
  /// Aborted, which those who recover take as a reason to open another session; FailedPrecondition
  /// where its own client closed it.
  Status status() const {
    std::lock_guard lock(mutex_);
    if (closed_by_.empty()) return aborted("the session has ended with its task: open another");
    if (closed_by_ == its_client) return closed_by_client();
    return aborted("the session was closed by " + closed_by_ + ": open another");
  }
  /// How the steps that run end then. Of a reset, a step hears from a resource that it waits for,
  /// too: either way it is Aborted. Cancelled where the session's own client closed it.
  Status status_of_steps() const {
    auto end = status();
    auto code = end.code() == Code::aborted ? Code::aborted : Code::cancelled;
    return Status(code, "the step ended as " + end.message());
  }
  static Status closed_by_client() {
    return failed_precondition("the session was closed by its client: open another");
  }

  static constexpr const char* its_client = "its client";

 private:
  mutable std::mutex mutex_;
  std::string closed_by_;
};

}  // namespace troupe
