#pragma once

#include <memory>

#include "troupe/actors/sim/cluster_state.hpp"
#include "troupe/graph/session.hpp"

namespace troupe::sim {

/// Opens a session with that process as master, with the interface that sessions have on real
/// clusters.
Result<std::unique_ptr<troupe::Session>> open_client_session(
    ClusterState& cluster, const std::shared_ptr<TaskProcess>& master,
    const SessionOptions& options);

}  // namespace troupe::sim
