#pragma once

#include "troupe/actors/sim/check.hpp"
#include "troupe/apps/swarm/crew.hpp"

namespace troupe::swarm {

/// A random cluster, whose clients run steps of random graphs while a random script breaks it; then
/// all is mended, each client must be able to go on, and in the end nothing may be left of it all.
sim::Scenario make_scenario(const Crew::Log& log = {});

}  // namespace troupe::swarm
