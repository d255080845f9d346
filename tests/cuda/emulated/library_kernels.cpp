// The family whose kernels NVRTC compiles: an emulated card computes none of its ops.
#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_fused_kernels(KernelCatalog&) {}

}  // namespace troupe::cuda
