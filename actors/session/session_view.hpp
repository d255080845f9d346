#pragma once

#include <memory>
#include <vector>

#include "troupe/graph/cluster/cluster_spec.hpp"
#include "troupe/graph/cluster/device_name.hpp"
#include "troupe/graph/optimize/precision_lists.hpp"
#include "troupe/graph/place/placement.hpp"
#include "troupe/graph/session_options.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// InvalidArgument: there is no such placement, no such pass, or the environment has lists for
/// mixed precision that are none.
Status check_options(const SessionOptions& options);

/// The lists by which a session mixes precision; null where it does not. The options are checked.
std::shared_ptr<const PrecisionLists> precision_of(const SessionOptions& options);

/// What a session places its nodes by. `devices`: of its master's task, the default one first.
/// InvalidArgument: a device filter is none.
Result<std::shared_ptr<const PlacementView>> make_view(
    const SessionOptions& options, const ClusterSpec& cluster,
    const std::vector<Candidate>& devices);

}  // namespace troupe
