#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "troupe/devices/stream.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::cuda {

/// Makes a card the one that CUDA's calls of this thread are for.
void set_current_card(int ordinal);

/// The compute capability of that card, as 90; 0 where it is not known.
int capability_of_current_card();

/// What calls for a card share with what they leave behind, which may outlive its driver: events,
/// and the card's first error. Thread-safe.
class CardState : public std::enable_shared_from_this<CardState> {
 public:
  explicit CardState(int ordinal) : ordinal_(ordinal) {}
  ~CardState();

  /// An event behind all that is on the stream; its memory is used again.
  Event record(cudaStream_t stream);
  static cudaEvent_t event_of(const Event& event);
  /// Waits until it is reached, and returns the card's error.
  Status wait_for(const Event& event);

  /// Keeps the error if it is the first (DR-2).
  void note(cudaError_t error, std::string_view what);
  Status error() const;
  bool has_failed() const { return has_failed_.load(std::memory_order_acquire); }

 private:
  cudaEvent_t take_event();
  void give_event(cudaEvent_t event);

  const int ordinal_;
  mutable std::mutex mutex_;
  std::vector<cudaEvent_t> idle_;
  Status error_;
  std::atomic<bool> has_failed_{false};
};

}  // namespace troupe::cuda
