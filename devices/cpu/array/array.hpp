#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the array family, each in the file of its name.
void add_fill_kernels(KernelCatalog& catalog);       // Fill, ZerosLike, OnesLike, Range
void add_layout_kernels(KernelCatalog& catalog);     // Reverse, BroadcastTo
void add_memory_kernels(KernelCatalog& catalog);     // Empty, Inplace..., ParallelConcat, ...
void add_transpose_kernels(KernelCatalog& catalog);  // Transpose, ConjugateTranspose

}  // namespace troupe::cpu
