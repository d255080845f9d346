#pragma once

#include <chrono>
#include <cstdint>

#include "troupe/actors/sim/world/latency.hpp"

namespace troupe {

/// How a simulated network behaves without faults.
struct NetworkOptions {
  /// Drawn for each message.
  Latency latency = Latency::uniform(std::chrono::microseconds(20), std::chrono::microseconds(80));
  /// Bandwidth of each channel; 0: unlimited.
  uint64_t bytes_per_second = 0;
  /// The share of the messages of steps (StartStep, Deliver, StepDone, CancelStep, DropPlan,
  /// EndSession) that are delivered a second time, later. CAF's transport, one TCP connection
  /// between two nodes, never duplicates. But actors reject duplicates by step and session numbers,
  /// independently of the transport, and only the simulation can test that.
  double duplicates = 0;
  /// Delay before a refused connection is tried again.
  std::chrono::milliseconds retry{100};
};

}  // namespace troupe
