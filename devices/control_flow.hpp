#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe {

/// Kernels of Switch and Merge, and of the stacks that a step has for itself, for any kind of
/// device: they look at no elements but a predicate, which they have on the host.
void add_control_flow_kernels(KernelCatalog& catalog);

}  // namespace troupe
