#pragma once

#include <vector>

#include "troupe/tests/fuzz/calls/random_call.hpp"

namespace troupe::fuzz {

/// Valid calls of ops of which none is recorded, and whose inputs have to fit each other in ways
/// that drawn ones hardly ever do: axes that are there, permutations, labels of classes.
std::vector<Call> written_calls();

// Parts of written_calls(): of boosted trees, and of forests.
void add_tree_calls(std::vector<Call>& calls);
void add_forest_calls(std::vector<Call>& calls);

}  // namespace troupe::fuzz
