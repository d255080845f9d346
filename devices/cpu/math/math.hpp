#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the math family, each in the file of its name.
void add_math_unary_kernels(KernelCatalog& catalog);
void add_math_gradient_kernels(KernelCatalog& catalog);
void add_cast_kernels(KernelCatalog& catalog);
void add_matmul_kernels(KernelCatalog& catalog);

/// Of several element-wise ops at once (graph/ops/fusion.hpp), whose kernels the catalog must have.
void add_fused_kernel(KernelCatalog& catalog);

}  // namespace troupe::cpu
