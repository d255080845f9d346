#pragma once

#include <memory>

#include "troupe/apps/swarm/workload/random_graph.hpp"

namespace troupe::swarm {

/// True when dtypes, shapes and all bits are the same.
bool same_bits(const Tensor& a, const Tensor& b);

/// The expected results of each step of a random graph: those of a cluster of a single task,
/// without device constraints and without faults.
std::vector<Tensors> expected_results(
    sim::Cluster& single_task, const ScenarioPlan& plan, const sim::Random& random);

}  // namespace troupe::swarm
