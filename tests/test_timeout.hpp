#pragma once

#include <chrono>

namespace troupe::testing {

/// How long a test waits for an event that is expected soon; enough for a slow and busy machine.
inline constexpr std::chrono::milliseconds test_timeout{30'000};

}  // namespace troupe::testing
