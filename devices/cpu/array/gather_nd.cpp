#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_gather_nd_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
