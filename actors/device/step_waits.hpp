#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/actors/device/device_session.hpp"
#include "troupe/actors/node_messages.hpp"

namespace troupe {

/// The kernels of a step that wait.
std::vector<WaitingNode> waiting_nodes(const DeviceStep& step);
/// Whether a started step may send to that task, or waits for tensors from it.
bool needs(const DeviceStep& step, const std::string& task);

/// What the step of that number waits for on that device, in words: its start, its kernels, or the
/// session that should have heard of its end. `session` is null where the device does not know it.
StepWaits waits_of(
    const DeviceSession* session, uint64_t number, const std::string& device, World::Time now);

}  // namespace troupe
