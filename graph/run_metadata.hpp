#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// What one node of a step did. Times count from when the step was started on the node's device, by
/// that device's own clock.
struct NodeRun {
  std::string node;
  std::string op;
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
  uint32_t thread = 0;  // where it began: 0 is the first thread that worked for the step there
  uint64_t bytes = 0;   // of its outputs; of a _Send or a _Retval, of what it gave away
  std::string tensor;   // what a _Send or a _Recv moved, "MatMul:0"; else empty
  std::string peer;     // the device that it went to or came from

  bool operator==(const NodeRun&) const = default;
};

/// What one device did for a step. The clocks of devices know nothing of each other: `begin` and
/// `end` are the master's view, counted from when it launched the step, and put the devices on one
/// axis. The master knows `end`, when it heard that the device was done. It takes the messages to
/// and from the device for equally fast, so `begin` is half of what `end` exceeds `duration`.
struct DeviceRun {
  std::string device;
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
  std::chrono::nanoseconds duration{0};  // by the device's own clock
  uint64_t memory_peak = 0;              // bytes in use there while the step ran, those of other
                                         // steps included; 0 where the device does not count them
  std::vector<NodeRun> nodes;            // in the order in which they ended
  std::vector<NodeDef> graph;            // its part of the step, where RunOptions asked for it
};

/// How a step went, device by device, as far as RunOptions asked for it. Of a step that failed, the
/// devices that told in time.
struct RunMetadata {
  std::vector<DeviceRun> devices;
};

}  // namespace troupe
