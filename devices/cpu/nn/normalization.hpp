#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the normalization family.
void add_local_response_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
