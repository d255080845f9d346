#pragma once

#include "troupe/actors/sim/check.hpp"
#include "troupe/apps/swarm/workload/workload.hpp"

namespace troupe::swarm {

/// A random cluster whose clients run steps of random graphs under a random script of faults. After
/// the faults have ended, each client must complete its steps; after all sessions are closed, no
/// task may hold anything of them.
sim::Scenario make_scenario(const Workload::Log& log = {});

}  // namespace troupe::swarm
