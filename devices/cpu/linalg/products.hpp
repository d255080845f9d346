#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

void add_einsum_kernel(KernelCatalog& catalog);

}  // namespace troupe::cpu
