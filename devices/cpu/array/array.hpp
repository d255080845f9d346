#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the array family, each in the file of its name.
void add_fill_kernels(KernelCatalog& catalog);       // Fill, ZerosLike, OnesLike, Range
void add_layout_kernels(KernelCatalog& catalog);     // Reverse, BroadcastTo
void add_memory_kernels(KernelCatalog& catalog);     // Empty, Inplace..., ParallelConcat, ...
void add_transpose_kernels(KernelCatalog& catalog);  // Transpose, ConjugateTranspose

// Checks of inputs, which kernels of cards make, too.

/// Of Reverse: whether dims, on the host, has an element for each axis.
Status check_reversed_dims(const Launch& launch);
/// Of InplaceUpdate and its like: whether v has a row for each of the numbers of rows of x.
Status check_inplace_shapes(const Shape& x, const Shape& rows, const Shape& v);
/// Of ParallelConcat: whether each input is a row of that shape.
Status check_rows_of(const Launch& launch, const Shape& shape);

}  // namespace troupe::cpu
