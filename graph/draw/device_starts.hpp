#pragma once

#include <chrono>
#include <vector>

#include "troupe/graph/run_metadata.hpp"

namespace troupe {

/// A tensor that went from one device of a step to another.
struct Crossing {
  size_t from;  // the device's number in the metadata
  size_t to;
  const NodeRun* send;
  const NodeRun* recv;
};

/// All of a step, as far as both ends of them were told of.
std::vector<Crossing> crossings_of(const RunMetadata& metadata);

/// When a step began on one device, by the master's clock: no more than `uncertainty` earlier or
/// later, if that is known.
struct DeviceStart {
  std::chrono::nanoseconds at{0};
  std::chrono::nanoseconds uncertainty{0};
};

/// For each device. The master knows that a device began after the launch and had ended when it was
/// heard of; and no tensor arrived before it was sent. What this leaves open is the uncertainty.
/// Empty where all that cannot be true, as of clocks that drifted apart in a long step.
std::vector<DeviceStart> device_starts(
    const RunMetadata& metadata, const std::vector<Crossing>& crossings);

}  // namespace troupe
