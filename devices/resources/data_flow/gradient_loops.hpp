#pragma once

#include "troupe/graph/types/tensor.hpp"

/// Arithmetic on gradients, in place.
namespace troupe::gradient_loops {

/// That tensor, which is left unset, if nobody else holds its elements; else a copy of it.
Result<Tensor> writable(Tensor& tensor, Allocator& allocator);

/// That tensor, or a copy of it if its memory is only lent, as that of a message is: it is kept for
/// longer than that.
Result<Tensor> kept(Tensor tensor, Allocator& allocator);

/// sum += gradient, of one dtype and as many elements.
void add(Tensor& sum, const Tensor& gradient);
/// The same for `count` elements from those positions on.
void add(Tensor& sum, int64_t at, const Tensor& gradient, int64_t from, int64_t count);
/// Divides `count` elements from `at` on.
void divide(Tensor& sum, int64_t at, int64_t count, int32_t divisor);

}  // namespace troupe::gradient_loops
