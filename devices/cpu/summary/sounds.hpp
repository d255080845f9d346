#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

void add_sound_summary_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
