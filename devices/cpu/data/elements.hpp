#pragma once

#include "troupe/devices/data/dataset.hpp"

namespace troupe::cpu {

/// Whether batches of such elements can be made, and slices of such batches: not of handles.
bool can_be_rows(DType dtype);

/// Slice `index` of a tensor along axis 0; over its memory, where that is large.
Result<Tensor> slice_of(const Tensor& tensor, int64_t index, Allocator& allocator);

/// The elements as one, with one more axis in each component. InvalidArgument where their shapes
/// differ; Unimplemented for handles.
data::Pulled stack(const std::vector<data::Element>& elements, Allocator& allocator);

/// How components are padded: the shape of each, where -1 is the largest size in the batch, and a
/// scalar for each to fill the rest with.
struct Padding {
  std::vector<std::vector<int64_t>> sizes;
  Tensors values;
};

/// As stack(), of elements that are padded first.
data::Pulled stack_padded(
    const std::vector<data::Element>& elements, const Padding& padding, Allocator& allocator);

/// The elements, of one component each, as the rows of a sparse tensor, which is what
/// SerializeSparse makes. A row has at most those sizes; -1 is the largest in the batch.
data::Pulled stack_sparse(
    const std::vector<data::Element>& elements, const std::vector<int64_t>& row_sizes,
    Allocator& allocator);

}  // namespace troupe::cpu
