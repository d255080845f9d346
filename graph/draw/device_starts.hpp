#pragma once

#include <chrono>
#include <vector>

#include "troupe/graph/run_metadata.hpp"

namespace troupe {

/// A tensor that was sent from one device of a step to another.
struct TensorTransfer {
  size_t from;  // index into RunMetadata::devices
  size_t to;
  const NodeRun* send;
  const NodeRun* recv;
};

/// All transfers of a step of which both ends were recorded.
std::vector<TensorTransfer> tensor_transfers_of(const RunMetadata& metadata);

/// When a step began on one device, by the master's clock: at `at`, plus or minus `uncertainty`.
struct DeviceStart {
  std::chrono::nanoseconds at{0};
  std::chrono::nanoseconds uncertainty{0};
};

/// Devices that read the master's clock, as those of its host do, began exactly when they say, and
/// those that read another clock together began as far apart as they say. For the rest, and for
/// where such a clock stands, estimates the start from what must hold: a device began after the
/// launch and ended before its report arrived at the master, and no tensor arrived before it was
/// sent. The uncertainty is what these constraints leave open. Empty if they contradict each other,
/// as when clocks drift apart during a long step.
std::vector<DeviceStart> device_starts(
    const RunMetadata& metadata, const std::vector<TensorTransfer>& transfers);

}  // namespace troupe
