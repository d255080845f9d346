#pragma once

#include <initializer_list>

#include "troupe/graph/op.hpp"

namespace troupe {

/// Shapes in ops on arrays and lists of tensors, whose elements become rows of a tensor and back.

/// Fails unless those inputs can be scalars.
Status need_scalar_inputs(const ShapeInference& s, std::initializer_list<int> inputs);

/// Rows of that shape; nothing is known of them where its rank is not, or no tensor has one more.
Shape rows_of_elements(int64_t count, const Shape& element);

/// A shape without its axis 0; nothing is known of that of a scalar.
Shape without_rows(const Shape& shape);

/// The shape that an input describes by its sizes, with -1 for one that is not known, or by the
/// scalar -1, of which nothing is known.
Result<Shape> element_shape_input(const ShapeInference& s, int index);

/// Fails unless a value of the one shape can have a row for each of the indices, a vector.
Status check_row_indices(const Shape& indices, const Shape& value);

}  // namespace troupe
