#include "troupe/graph/ops/state/element_shapes.hpp"

#include <string>

namespace troupe {

Status need_scalar_inputs(const ShapeInference& s, std::initializer_list<int> inputs) {
  for (auto input : inputs)
    if (auto status = s.need_rank(input, 0); !status.ok()) return status;
  return {};
}

Shape rows_of_elements(int64_t count, const Shape& element) {
  if (!element.has_rank() || element.rank() == Shape::max_rank) return Shape::unknown_rank();
  auto rows = Shape::of_rank(element.rank() + 1);
  rows.set(0, count);
  for (int axis = 0; axis < element.rank(); ++axis) rows.set(axis + 1, element[axis]);
  return rows;
}

Shape without_rows(const Shape& shape) {
  if (!shape.has_rank() || shape.rank() == 0) return Shape::unknown_rank();
  auto rest = Shape::of_rank(shape.rank() - 1);
  for (int axis = 0; axis < rest.rank(); ++axis) rest.set(axis, shape[axis + 1]);
  return rest;
}

Result<Shape> element_shape_input(const ShapeInference& s, int index) {
  const auto& given = s.input(index);
  if (given.has_rank() && given.rank() > 1)
    return invalid_argument(
        "input " + std::to_string(index) +
        " must describe a shape: a vector of sizes, or -1, not " + given.to_string());
  auto sizes = s.constant_ints(index);
  auto is_scalar = given.has_rank() && given.rank() == 0;
  if (!sizes && given.has_rank() && !is_scalar) return s.input_as_shape(index);
  if (!sizes) return Shape::unknown_rank();
  if (is_scalar && (*sizes)[0] == Shape::unknown) return Shape::unknown_rank();
  if (is_scalar)
    return invalid_argument("a shape that is a scalar must be -1, not " +
                            std::to_string((*sizes)[0]));
  auto rank = static_cast<int>(sizes->size());
  if (rank > Shape::max_rank) return Shape::make(*sizes);
  auto shape = Shape::of_rank(rank);
  for (int axis = 0; axis < rank; ++axis) {
    auto size = (*sizes)[static_cast<size_t>(axis)];
    if (size < Shape::unknown)
      return invalid_argument("a size of a shape cannot be " + std::to_string(size));
    shape.set(axis, size);
  }
  return shape;
}

Status check_row_indices(const Shape& indices, const Shape& value) {
  if (!value.has_rank()) return {};
  if (value.is_scalar()) return invalid_argument("the rows of a scalar cannot be scattered");
  if (!indices.has_rank() || indices.is_compatible_with({value[0]})) return {};
  return invalid_argument(
      "the indices must be a vector, of an index for each row of the value, but the shapes are " +
      indices.to_string() + " and " + value.to_string());
}

}  // namespace troupe
