#pragma once

#include <memory>

#include "troupe/apps/swarm/random_graph.hpp"

namespace troupe::swarm {

/// True when dtypes, shapes and all bits are the same.
bool same_bits(const Tensor& a, const Tensor& b);

/// What each step of a random graph must give: what it gives on a cluster of a single task, where
/// nothing is pinned and nothing goes wrong.
std::vector<Tensors> expected_results(
    sim::Cluster& single_task, const World& world, const sim::Random& random);

}  // namespace troupe::swarm
