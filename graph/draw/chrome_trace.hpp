#pragma once

#include <string>

#include "troupe/graph/run_metadata.hpp"

namespace troupe {

/// A step that ran with Trace::full, as JSON of the Trace Event format, which ui.perfetto.dev and
/// chrome://tracing open. A task is a process. Each of its devices has a track of nodes, more
/// beside it for those that ran at once, and others for those that waited for a tensor. Arrows lead
/// from where a tensor was sent to where it arrived. An _Arg has the name of the feed that it
/// takes.
///
/// The time between nodes has tracks and categories of its own: "queue", from when a node's inputs
/// were there until a thread began it; "network", from when a tensor was sent until its receiver
/// had it; "actor", from the master's launch until the device began, and from the device's end
/// until its report was at the master. Parts shorter than a microsecond are left out.
///
/// Times are by the master's clock. The offset of each device's clock is known up to an
/// uncertainty, which is shown beside the task's name (`device_starts.hpp`); no tensor arrives
/// before it was sent. If the clocks contradict each other, the trace says so there, uses
/// DeviceRun::begin as offsets, and omits arrows that would lead back in time.
std::string to_chrome_trace(const RunMetadata& metadata);

}  // namespace troupe
