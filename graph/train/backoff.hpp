#pragma once

#include <chrono>
#include <optional>

#include "troupe/graph/train/host.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::train {

/// How often and how long an operation is retried that fails because a task is lost.
struct RetryOptions {
  std::chrono::milliseconds first_delay{50};  // doubled after each attempt
  std::chrono::milliseconds delay_max{2000};
  std::chrono::milliseconds give_up_after{std::chrono::hours(2)};  // 0: the first failure is final
};

/// True for Unavailable and Aborted, the errors of lost tasks.
bool is_retryable(const Status& status);

/// The time between attempts.
class Backoff {
 public:
  Backoff(Host& host, const RetryOptions& options) : host_(host), options_(options) {}

  /// Waits before the next attempt, each time twice as long. Fails with DeadlineExceeded, including
  /// `why` the last attempt failed, once the attempts since the last reset() have taken too long;
  /// with Cancelled if the host's wait returned false.
  Status wait(const Status& why);
  /// An attempt succeeded.
  void reset() { start_.reset(); }

 private:
  Host& host_;
  RetryOptions options_;
  std::optional<Host::Time> start_;
  Host::Time delay_{};
};

}  // namespace troupe::train
