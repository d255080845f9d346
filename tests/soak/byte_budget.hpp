#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace troupe::soak {

/// The bytes that all steps together may take. Thread-safe.
class ByteBudget {
 public:
  explicit ByteBudget(uint64_t bytes) : free_(bytes) {}

  /// Some bytes of the budget, which its destructor gives back.
  class Share {
   public:
    Share(ByteBudget& budget, uint64_t bytes) : budget_(budget), bytes_(bytes) {}
    ~Share() { budget_.give_back(bytes_); }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    ByteBudget& budget_;
    const uint64_t bytes_;
  };

  /// Waits until so many bytes are free, at most those of the whole budget. Calls are served in
  /// their order: otherwise a large share could wait for as long as small ones keep coming.
  Share take(uint64_t bytes) {
    std::unique_lock lock(mutex_);
    auto turn = last_turn_++;
    changed_.wait(lock, [&] { return turn == next_turn_ && bytes <= free_; });
    ++next_turn_;
    free_ -= bytes;
    changed_.notify_all();
    return {*this, bytes};
  }

 private:
  void give_back(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    free_ += bytes;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t free_;
  uint64_t next_turn_ = 0;
  uint64_t last_turn_ = 0;
};

}  // namespace troupe::soak
