#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::testing {

/// What this program does as another process of a test, where the arguments say so: "--lend" has a
/// tensor on a card and prints where, "--borrow" and what that printed reads it. Both wait for
/// SIGUSR1 between their two lines. Returns the exit code.
std::optional<int> run_as_peer(const std::vector<std::string>& arguments);

}  // namespace troupe::testing
