#pragma once

#include <memory>

#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/place/placement.hpp"
#include "troupe/graph/session_options.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// InvalidArgument: there is no such placement, or no such pass.
Status check_options(const SessionOptions& options);

/// What a session places its nodes by. `master`: its master's default device. InvalidArgument: a
/// device filter is none.
Result<std::shared_ptr<const PlacementView>> make_view(
    const SessionOptions& options, const ClusterSpec& cluster, const DeviceName& master);

}  // namespace troupe
