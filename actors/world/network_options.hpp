#pragma once

#include <chrono>
#include <cstdint>

#include "troupe/actors/world/latency.hpp"

namespace troupe {

/// How a simulated network behaves when nothing is broken.
struct NetworkOptions {
  /// Of each message.
  Latency latency = Latency::uniform(std::chrono::microseconds(20), std::chrono::microseconds(80));
  /// What one node can send to another in a second; 0: any amount.
  uint64_t bytes_per_second = 0;
  /// The share of the messages of steps (StartStep, Deliver, StepDone, CancelStep, DropPlan,
  /// EndSession) that arrive once more, a while later. No real connection does that: CAF speaks
  /// over one TCP connection and sends nothing again. But what must not happen twice, a step above
  /// all, is guarded by its own numbers and not by the transport, and that can be tested here only.
  double duplicates = 0;
  /// A refused connection is tried again after this.
  std::chrono::milliseconds retry{100};
};

}  // namespace troupe
