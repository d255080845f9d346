#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// One function per family of graph/ops, each in the file of its name.
void add_source_kernels(KernelCatalog& catalog);
void add_math_kernels(KernelCatalog& catalog);
void add_comparison_kernels(KernelCatalog& catalog);
void add_reduction_kernels(KernelCatalog& catalog);
void add_array_kernels(KernelCatalog& catalog);
void add_slicing_kernels(KernelCatalog& catalog);
void add_nn_kernels(KernelCatalog& catalog);
void add_random_kernels(KernelCatalog& catalog);
void add_state_kernels(KernelCatalog& catalog);
void add_table_kernels(KernelCatalog& catalog);
void add_training_kernels(KernelCatalog& catalog);
void add_checkpoint_kernels(KernelCatalog& catalog);

/// A catalog of all CPU kernels.
KernelCatalog make_kernel_catalog();

}  // namespace troupe::cpu
