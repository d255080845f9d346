#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace troupe::cpu::sdca {

/// The examples of a batch in the order in which they are taken.
using Order = std::vector<int64_t>;

/// All examples, in random order.
Order shuffled_order(int64_t examples, std::mt19937_64& random);

/// As many examples as there are likelihoods, which are in proportion to these. One that has been
/// taken is ten times less likely each time; after many vain draws those follow that are left, the
/// likeliest first.
Order adaptive_order(std::vector<double> likelihoods, std::mt19937_64& random);

}  // namespace troupe::cpu::sdca
