#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Unimplemented where there are no decompositions of the node's dtype T, or no library for them.
Status need_solver(const Node& node);

/// The part of the decompositions family with orthogonal factors.
void add_factorizations_kernels(KernelCatalog& catalog);

}  // namespace troupe::cuda
