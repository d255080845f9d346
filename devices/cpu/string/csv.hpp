#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

void add_csv_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
