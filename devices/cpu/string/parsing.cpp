#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_parsing_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
