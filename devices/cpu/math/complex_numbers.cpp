#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_complex_numbers_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
