#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// Gives the variable of input 0 the value of input 1, which must have that shape.
Status assign_value(Launch& launch, const Shape& shape);

// The kernels of the families "state" and "training", by file.
void add_scatter_kernels(KernelCatalog& catalog);
void add_variable_parts_kernels(KernelCatalog& catalog);
void add_strided_assign_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
