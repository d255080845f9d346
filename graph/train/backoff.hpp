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

  /// The first attempt begins, whose time counts, too. Without this call, or after a success, the
  /// time begins with the first failure.
  void begin();
  /// Waits before the next attempt, each time twice as long. Fails with DeadlineExceeded, including
  /// `why` the last attempt failed, once the attempts have taken too long; with Cancelled if the
  /// host's wait returned false. Warns of a wait of 10 s and more, and again each minute.
  Status wait(const Status& why);
  /// An attempt succeeded.
  void reset() { start_.reset(); }

  /// How long an attempt that begins now may take: what is left, but at least attempt_min, so that
  /// the last one can say what is wrong. 0: any time.
  std::chrono::milliseconds attempt_limit() const;
  /// Whether wait() may be called after an attempt that failed so. Of one that took all that was
  /// left, the limit is the error; wait() then gives up.
  bool may_wait_after(const Status& status) const;

  static constexpr std::chrono::milliseconds attempt_min{500};

 private:
  Host::Time time_left() const;
  void warn_of_long_wait(const Status& why);

  Host& host_;
  RetryOptions options_;
  std::optional<Host::Time> start_;
  Host::Time delay_{};
  Host::Time next_warning_{};
};

}  // namespace troupe::train
