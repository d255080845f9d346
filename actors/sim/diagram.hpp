#pragma once

#include <string>
#include <vector>

#include "troupe/actors/sim/fault.hpp"

namespace troupe::sim {

/// A message from task to task, as a diagram shows it.
struct DrawnMessage {
  Time time{0};  // of its arrival, or when it was lost
  std::string from;
  std::string to;
  std::string what;
  bool lost = false;
};

/// Draws messages and faults in the order of time, a line each: the time on the left, a column for
/// each task that sends or receives, an arrow from sender to receiver.
///
///      time/us  ps/0               worker/0
///       1234.5   |<---StartStep-----|
///       1260.0   |----StepDone----x |        (lost)
///       1300.0  crash /job:ps/task:0
std::string draw_diagram(
    const std::vector<DrawnMessage>& messages, const std::vector<Fault>& faults);

}  // namespace troupe::sim
