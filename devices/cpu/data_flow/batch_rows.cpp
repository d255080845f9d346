#include "troupe/devices/cpu/data_flow/batch_rows.hpp"

#include <string>

#include "troupe/devices/cpu/array/copying.hpp"

namespace troupe::cpu {

Result<Tensor> join_rows(const Tensors& parts, int64_t padding, Allocator& allocator) {
  const auto& first = parts[0];
  int64_t rows = padding, elements_of_row = 1;
  for (const auto& part : parts) {
    auto like_first = part.shape();
    if (!like_first.is_scalar() && !first.shape().is_scalar()) like_first.set(0, first.shape()[0]);
    if (part.shape().is_scalar() || like_first != first.shape() || part.dtype() != first.dtype())
      return invalid_argument(
          std::string("Dimensions of inputs should match: ") + to_string(first.dtype()) +
          first.shape().to_string() + " vs. " + to_string(part.dtype()) + part.shape().to_string());
    rows += part.shape()[0];
  }
  auto shape = first.shape();
  for (int axis = 1; axis < shape.rank(); ++axis) elements_of_row *= shape[axis];
  shape.set(0, rows);
  auto checked = Shape::make(shape.sizes());
  if (!checked) return checked.status();
  auto out = Tensor::allocate(first.dtype(), *checked, allocator);
  if (!out) return out;
  int64_t at = 0;
  const Tensor* with_row = nullptr;
  for (const auto& part : parts) {
    copy_elements(*out, at, part, 0, part.elements());
    at += part.elements();
    if (!with_row && part.elements() > 0) with_row = &part;
  }
  if (padding > 0 && out->elements() > 0 && !with_row)
    return Result<Tensor>(invalid_argument("a batch without rows cannot be padded"));
  for (int64_t i = 0; with_row && i < padding; ++i, at += elements_of_row)
    copy_elements(*out, at, *with_row, 0, elements_of_row);
  return out;
}

Result<Tensor> rows_of(const Tensor& tensor, int64_t begin, int64_t rows, Allocator& allocator) {
  auto shape = tensor.shape();
  auto elements_of_row = shape[0] > 0 ? tensor.elements() / shape[0] : 0;
  shape.set(0, rows);
  auto out = Tensor::allocate(tensor.dtype(), shape, allocator);
  if (out) copy_elements(*out, 0, tensor, begin * elements_of_row, rows * elements_of_row);
  return out;
}

}  // namespace troupe::cpu
