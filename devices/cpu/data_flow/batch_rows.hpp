#pragma once

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// The rows of all parts, of which there is one at least, one after the other, and then so many
/// copies of the first row. InvalidArgument where their other sizes or dtypes differ.
Result<Tensor> join_rows(const Tensors& parts, int64_t padding, Allocator& allocator);

/// So many rows of a tensor, which must have them.
Result<Tensor> rows_of(const Tensor& tensor, int64_t begin, int64_t rows, Allocator& allocator);

/// The kernels that take batches apart.
void add_unbatching_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
