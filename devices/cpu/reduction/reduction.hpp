#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

void add_arg_max_kernel(KernelCatalog& catalog);

}  // namespace troupe::cpu
