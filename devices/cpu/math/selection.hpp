#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the selection family, each in the file of its name.
void add_select_v2_kernel(KernelCatalog& catalog);

}  // namespace troupe::cpu
