#pragma once

#include "troupe/graph/types/tensor.hpp"
#include "troupe/tests/fuzz/calls/draw.hpp"

namespace troupe::fuzz {

/// Mostly of few, small dimensions; some are empty, some empty beside a huge dimension.
Shape draw_shape(Draw& draw);

/// An int64 as sizes, axes, indices and attributes may be: mostly small, some negative, some
/// extreme.
int64_t draw_int(Draw& draw);
float draw_float(Draw& draw);
std::string draw_text(Draw& draw);
/// Any that a tensor of a user's can have.
DType draw_dtype(Draw& draw);

/// Elements of all kinds: small numbers, or any, with zeros, extremes, NaN and infinities.
Tensor draw_tensor(Draw& draw, DType dtype, const Shape& shape);

/// Its elements in another shape, repeated or cut off as needed. One without elements gives zeros.
Tensor resized(const Tensor& tensor, const Shape& shape);

/// Its elements as those of another dtype, where that has them; else drawn.
Tensor converted(Draw& draw, const Tensor& tensor, DType dtype);

/// With some elements replaced.
Tensor disturbed(Draw& draw, const Tensor& tensor);

/// With all elements that are `from` replaced by `to`; only of int32 and int64.
Tensor with_size_replaced(const Tensor& tensor, int64_t from, int64_t to);

}  // namespace troupe::fuzz
