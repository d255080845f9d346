#pragma once

#include <chrono>
#include <optional>

#include "troupe/graph/status.hpp"
#include "troupe/graph/train/host.hpp"

namespace troupe::train {

/// How long is tried again what fails because a task is away.
struct RetryOptions {
  std::chrono::milliseconds first_delay{50};  // doubled after each attempt
  std::chrono::milliseconds delay_max{2000};
  std::chrono::milliseconds give_up_after{std::chrono::hours(2)};  // 0: the first failure is final
};

/// True for what another attempt may mend: Unavailable and Aborted, the errors of lost tasks.
bool is_worth_another_attempt(const Status& status);

/// The time between attempts.
class Backoff {
 public:
  Backoff(Host& host, const RetryOptions& options) : host_(host), options_(options) {}

  /// Waits before the next attempt, ever longer. Fails once the attempts since the last reset()
  /// have taken too long, with DeadlineExceeded that tells `why` the last one failed; and with
  /// Cancelled where the host is not to wait.
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
