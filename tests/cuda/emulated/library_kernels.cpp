// The families whose kernels NVIDIA's libraries have, and no source here: an emulated card computes
// none of their ops.
#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_batch_norm_kernels(KernelCatalog&) {}
void add_fused_kernels(KernelCatalog&) {}

}  // namespace troupe::cuda
