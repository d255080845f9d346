#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_reversal_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
