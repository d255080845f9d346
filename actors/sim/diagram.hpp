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

/// Messages and faults in the order of time, a line each: the time on the left, a column for each
/// task that is part of it, an arrow from column to column.
///
///      time/us  ps/0               worker/0
///       1234.5   |<---StartStep-----|
///       1260.0   |----StepDone----x |        (lost)
///       1300.0  crash /job:ps/task:0
std::string draw_diagram(
    const std::vector<DrawnMessage>& messages, const std::vector<Fault>& faults);

}  // namespace troupe::sim
