#include "troupe/graph/ops/linalg/matrices.hpp"

namespace troupe::linalg {

Value product(const Builder& b, const Value& x, const Value& y, Adjoint adjoint) {
  return b.op("BatchMatMulV2", {x, y}, {{"adj_x", adjoint.x}, {"adj_y", adjoint.y}});
}

Value adjoint(const Builder& b, const Value& x) {
  if (!x.is_valid()) return x;
  auto is_complex = x.dtype() == DType::complex64 || x.dtype() == DType::complex128;
  auto turned = b.op("Einsum", {x}, {{"equation", "...ij->...ji"}});
  return is_complex ? b.op("Conj", {turned}) : turned;
}

Result<Shape> batches_of(const ShapeInference& s, int index, int count) {
  const auto& shape = s.input(index);
  if (!shape.has_rank()) return shape;
  if (shape.rank() < count)
    return invalid_argument(
        "input " + std::to_string(index) + " must have at least rank " + std::to_string(count) +
        ", but is " + shape.to_string());
  return Shape(shape.sizes().first(static_cast<size_t>(shape.rank() - count)));
}

Result<Shape> append(const Shape& batches, std::initializer_list<int64_t> sizes) {
  if (!batches.has_rank()) return batches;
  std::vector<int64_t> all(batches.sizes().begin(), batches.sizes().end());
  all.insert(all.end(), sizes);
  return Shape::make(all);
}

int64_t size_from_end(const Shape& shape, int back) {
  return shape.rank() >= back ? shape[shape.rank() - back] : Shape::unknown;
}

}  // namespace troupe::linalg
