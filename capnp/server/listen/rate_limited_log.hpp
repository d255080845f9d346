#pragma once

#include <spdlog/spdlog.h>

#include <chrono>
#include <string>
#include <utility>

namespace troupe {

/// Logs the warnings that clients cause, at most one a second, so that they can neither fill the
/// log nor block a thread on a log that is not read. For one thread.
class RateLimitedLog {
 public:
  void warn(const std::string& warning) {
    auto now = std::chrono::steady_clock::now();
    if (now - warned_ < std::chrono::seconds(1)) return void(++suppressed_count_);
    warned_ = now;
    auto suppressed = std::exchange(suppressed_count_, 0);
    if (suppressed == 0) spdlog::warn("{}", warning);
    else spdlog::warn("{}; suppressed {} warnings before it", warning, suppressed);
  }

 private:
  std::chrono::steady_clock::time_point warned_{};
  int suppressed_count_ = 0;
};

}  // namespace troupe
