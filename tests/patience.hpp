#pragma once

#include <chrono>

namespace troupe::testing {

/// How long a test waits for what should come soon, on a slow and busy machine.
inline constexpr std::chrono::milliseconds patience{30'000};

}  // namespace troupe::testing
