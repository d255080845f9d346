#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "troupe/graph/graph.hpp"

namespace troupe {

/// One launch of a node in a step. Times count from when the step started on the node's device, by
/// that device's clock. From `ready` to `begin` it waited for a thread.
struct NodeRun {
  std::string node;
  std::string op;
  std::chrono::nanoseconds ready{0};  // its inputs were there
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
  uint32_t thread = 0;  // where it began: 0 is the first thread that ran nodes of the step
  uint64_t bytes = 0;   // of its outputs; for a _Send or a _Retval, of its input
  std::string tensor;   // what a _Send or a _Recv transferred, "MatMul:0"; of an _Arg the feed, as
                        // the client named it; else empty
  std::string peer;     // the device that it went to or came from

  bool operator==(const NodeRun&) const = default;
};

/// What one device did for a step. The clocks of devices are not synchronized, so `begin` and `end`
/// are by the master's clock, counted from when it launched the step: all devices share this time
/// axis. The master measures `end` when the device's report arrives. It assumes that messages take
/// equally long in both directions, and so estimates `begin` as half of `end - duration`.
struct DeviceRun {
  std::string device;
  std::chrono::nanoseconds begin{0};
  std::chrono::nanoseconds end{0};
  std::chrono::nanoseconds duration{0};  // by the device's own clock
  std::string clock;                     // which clock that is; "": one that no other reads
  std::chrono::nanoseconds started{0};   // when the step started on the device, by that clock
  uint64_t memory_peak = 0;              // bytes in use there while the step ran, those of other
                                         // steps included; 0 where the device does not count them
  std::vector<NodeRun> nodes;            // in the order in which they ended
  std::vector<NodeDef> graph;            // its partition, if RunOptions asked for it
};

/// What each device did for a step, as far as RunOptions asked for it. For a step that failed, only
/// the devices that reported in time.
struct RunMetadata {
  std::vector<DeviceRun> devices;
  std::string clock;                     // the master's: on one host, all tasks read the same one
  std::chrono::nanoseconds launched{0};  // when it launched the step, by that clock
};

}  // namespace troupe
