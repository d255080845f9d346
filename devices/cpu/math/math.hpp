#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the math family, each in the file of its name.
void add_math_unary_kernels(KernelCatalog& catalog);
void add_math_gradient_kernels(KernelCatalog& catalog);
void add_cast_kernels(KernelCatalog& catalog);
void add_matmul_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
