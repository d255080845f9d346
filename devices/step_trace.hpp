#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "troupe/devices/plan.hpp"
#include "troupe/graph/run_metadata.hpp"

namespace troupe {

/// Notes when each node of one step ran on one device. Thread-safe.
class StepTrace {
 public:
  using Time = std::chrono::nanoseconds;

  explicit StepTrace(std::function<Time()> now) : now_(std::move(now)), start_(now_()) {}

  /// Since the step was started.
  Time elapsed() const { return now_() - start_; }
  /// A node that was ready and began then has ended just now.
  void add(const Plan& plan, NodeId node, Time ready, Time begin, uint64_t bytes);

  /// All that was noted, in the order in which the nodes ended; the device's name is for its owner
  /// to add.
  DeviceRun take(const Plan& plan);

 private:
  struct Noted {
    NodeId node;
    Time ready;
    Time begin;
    Time end;
    uint32_t thread;
    uint64_t bytes;
  };

  const std::function<Time()> now_;
  const Time start_;
  std::mutex mutex_;
  std::vector<Noted> noted_;
  std::map<std::thread::id, uint32_t> threads_;
  uint64_t memory_peak_ = 0;
};

/// Bytes of those tensors that are set.
uint64_t bytes_of(std::span<const Tensor> tensors);

}  // namespace troupe
