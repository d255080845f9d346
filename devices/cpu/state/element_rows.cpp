#include "troupe/devices/cpu/state/element_rows.hpp"

#include <numeric>
#include <string>
#include <vector>

namespace troupe::cpu {
namespace {

/// `count` rows of that shape.
Result<Shape> rows_of(int64_t count, const Shape& row) {
  std::vector<int64_t> sizes(row.sizes().begin(), row.sizes().end());
  sizes.insert(sizes.begin(), count);
  return Shape::make(sizes);
}

/// Sets output 0 to the values, one after the other.
Status set_rows(
    Launch& launch, const ElementRows& rows, const Tensors& values, int64_t count,
    const Shape& row) {
  auto shape = rows_of(count, row);
  if (!shape) return shape.status();
  auto out = rows.allocate(launch, values[0].dtype(), *shape);
  if (!out) return out.status();
  auto status = rows.join(launch, *out, values);
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

Status set_no_rows(Launch& launch, const ElementRows& rows, DType dtype, const Shape& row) {
  if (!row.is_known())
    return unimplemented(
        "no elements can only be joined where their shape is known, but it is " + row.to_string());
  auto shape = rows_of(0, row);
  if (!shape) return shape.status();
  auto out = rows.allocate(launch, dtype, *shape);
  if (out) launch.set(0, *std::move(out));
  return out.status();
}

/// Fails unless each of the shapes, which `what` names, is that of the first, and that is what is
/// known of it.
Status check_shapes(const char* what, const Shapes& shapes, const Shape& known) {
  if (!known.is_compatible_with(shapes[0]))
    return invalid_argument(
        std::string(what) + " must be " + known.to_string() + ", but is " + shapes[0].to_string());
  for (size_t i = 1; i < shapes.size(); ++i)
    if (shapes[i] != shapes[0])
      return invalid_argument(
          std::string(what) + " must be one, but is " + shapes[0].to_string() +
          " of the first and " + shapes[i].to_string() + " of number " + std::to_string(i));
  return {};
}

}  // namespace

Result<Tensors> ElementRows::rows(const Launch& launch, const Tensor& whole) const {
  auto shape = row_of(whole.shape());
  Tensors rows;
  for (int64_t i = 0; i < whole.shape()[0]; ++i) {
    auto row = part(launch, whole, i * shape.elements(), shape);
    if (!row) return row.status();
    rows.push_back(*std::move(row));
  }
  return rows;
}

Shape row_of(const Shape& shape) { return Shape(shape.sizes().subspan(1)); }

Status set_stack(
    Launch& launch, const ElementRows& rows, DType dtype, const Tensors& values,
    const Shape& known) {
  if (values.empty()) return set_no_rows(launch, rows, dtype, known);
  Shapes shapes;
  for (const auto& value : values) shapes.push_back(value.shape());
  auto status = check_shapes("the shape of elements", shapes, known);
  if (!status.ok()) return status;
  return set_rows(launch, rows, values, static_cast<int64_t>(values.size()), shapes[0]);
}

Status set_concatenation(
    Launch& launch, const ElementRows& rows, DType dtype, const Tensors& values,
    const Shape& known) {
  auto lengths = Tensor::allocate(DType::int64, {static_cast<int64_t>(values.size())});
  if (!lengths) return lengths.status();
  Shapes shapes;
  auto* length = lengths->mutable_data<int64_t>();
  for (const auto& value : values) {
    if (value.shape().is_scalar())
      return invalid_argument("scalars cannot be concatenated, but stacked");
    shapes.push_back(row_of(value.shape()));
    *length++ = value.shape()[0];
  }
  auto total = std::accumulate(length - values.size(), length, int64_t{0});
  launch.set(1, *std::move(lengths));
  if (values.empty()) return set_no_rows(launch, rows, dtype, known);
  auto status = check_shapes("the shape of elements without axis 0", shapes, known);
  return status.ok() ? set_rows(launch, rows, values, total, shapes[0]) : status;
}

Status check_row_indices(const Tensor& indices, const Tensor& value) {
  if (indices.shape().rank() == 1 && !value.shape().is_scalar() &&
      indices.elements() == value.shape()[0])
    return {};
  return invalid_argument(
      "the indices must be a vector, of an index for each row of the value, but the shapes are " +
      indices.shape().to_string() + " and " + value.shape().to_string());
}

Status check_lengths(const Tensor& lengths, const Tensor& value) {
  if (lengths.shape().rank() != 1)
    return invalid_argument(
        "the lengths must be a vector, but have the shape " + lengths.shape().to_string());
  if (value.shape().is_scalar()) return invalid_argument("a scalar cannot be split");
  auto rest = value.shape()[0];
  for (auto length : lengths.values<int64_t>()) {
    if (length < 0 || length > rest)
      return invalid_argument(
          "a part cannot have the length " + std::to_string(length) + " where " +
          std::to_string(rest) + " of " + value.shape().to_string() + " are left");
    rest -= length;
  }
  if (rest == 0) return {};
  return invalid_argument(
      "the lengths must add up to axis 0 of the value, whose shape is " +
      value.shape().to_string() + ": " + std::to_string(rest) + " are left");
}

}  // namespace troupe::cpu
