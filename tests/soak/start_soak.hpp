#pragma once

#include "troupe/tests/soak/settings.hpp"

namespace troupe::soak {

/// Starts four servers in this process, many times; each time all connect to each other at once.
/// Prints how long that takes and what failed; false: something did.
bool soak_starts(const Settings& settings);

}  // namespace troupe::soak
