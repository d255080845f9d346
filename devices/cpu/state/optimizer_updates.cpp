#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_optimizer_updates_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
