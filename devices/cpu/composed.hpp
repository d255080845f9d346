#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The kernels of the ops that others compute (graph/ops/composed.hpp).
void add_composed_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
