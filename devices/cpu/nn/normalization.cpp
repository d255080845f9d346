#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_normalization_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
