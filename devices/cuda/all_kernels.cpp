#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_all_kernels(KernelCatalog& catalog) {}

}  // namespace troupe::cuda
