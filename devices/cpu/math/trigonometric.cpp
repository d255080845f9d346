#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_trigonometric_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
