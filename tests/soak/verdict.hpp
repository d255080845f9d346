#pragma once

#include <atomic>
#include <mutex>
#include <string>

namespace troupe::soak {

/// Whether a fault was found, and the first one. Thread-safe.
class Verdict {
 public:
  void fail(const std::string& fault) {
    std::lock_guard lock(mutex_);
    if (!has_failed_.exchange(true)) fault_ = fault;
  }
  bool has_failed() const { return has_failed_; }
  std::string fault() const {
    std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> has_failed_ = false;
  std::string fault_;
};

}  // namespace troupe::soak
