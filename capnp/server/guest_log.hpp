#pragma once

#include <spdlog/spdlog.h>

#include <chrono>
#include <string>
#include <utility>

namespace troupe {

/// Warnings that guests cause: one a second at most, so that they cannot fill the log, nor hold a
/// thread up where nobody reads it. For one thread.
class GuestLog {
 public:
  void warn(const std::string& what) {
    auto now = std::chrono::steady_clock::now();
    if (now - warned_ < std::chrono::seconds(1)) return void(++unsaid_count_);
    warned_ = now;
    auto others = std::exchange(unsaid_count_, 0);
    if (others == 0) spdlog::warn("{}", what);
    else spdlog::warn("{}; {} more such lines were left out before", what, others);
  }

 private:
  std::chrono::steady_clock::time_point warned_{};
  int unsaid_count_ = 0;
};

}  // namespace troupe
