#pragma once

#include "troupe/tests/soak/settings.hpp"

namespace troupe::soak {

/// Runs steps over real nodes in rounds. After each, all sessions are closed and all containers
/// reset, and each node must hold no more than after the first. Prints what happens; false: a fault
/// was found.
bool soak_links(const Settings& settings);

}  // namespace troupe::soak
