#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cuda {

/// Adds the kernels of all families that cards have.
void add_all_kernels(KernelCatalog& catalog);

}  // namespace troupe::cuda
