#pragma once

#include <string>

#include "troupe/graph/run_metadata.hpp"

namespace troupe {

/// A step that ran with Trace::full, as JSON of the Trace Event format, which ui.perfetto.dev and
/// chrome://tracing open. A task is a process. Each of its devices has a track of nodes, more
/// beside it for those that ran at once, and others for those that waited for a tensor. Arrows lead
/// from where a tensor was sent to where it arrived.
///
/// Times are the master's. Where a device's clock stands to it is known but for an uncertainty,
/// which is written beside the task's name (`device_starts.hpp`); nothing arrives before it was
/// sent. Where clocks contradict each other, it says so there, the devices stand where
/// DeviceRun::begin says, and arrows that would lead back in time are left out.
std::string to_chrome_trace(const RunMetadata& metadata);

}  // namespace troupe
