#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Unimplemented where there are no decompositions of the node's dtype T, or no library for them.
Status need_solver(const Node& node);

/// Whether the matrices of input 0 are too large for the own kernels, so that cuSOLVER decomposes
/// them, one after the other.
bool calls_solver(const Launch& launch);
/// Of a kernel that does so: above what an actor's thread computes itself.
inline constexpr int64_t solver_cost_ns = 1'000'000;
int64_t decomposition_cost_ns(const Launch& launch);

// Parts of the decompositions family.
void add_factorizations_kernels(KernelCatalog& catalog);  // with orthogonal factors
void add_least_squares_kernels(KernelCatalog& catalog);

}  // namespace troupe::cuda
