#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_diagonals_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
