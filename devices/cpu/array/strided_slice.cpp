#include "troupe/devices/cpu/all_kernels.hpp"

namespace troupe::cpu {

void add_strided_slice_kernels(KernelCatalog&) {}

}  // namespace troupe::cpu
