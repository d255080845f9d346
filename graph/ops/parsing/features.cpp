#include "troupe/graph/ops/parsing/features.hpp"

#include <algorithm>

namespace troupe {

Status need_same_lengths(std::initializer_list<NamedLength> lists) {
  const auto& first = *lists.begin();
  for (const auto& list : lists)
    if (list.length != first.length)
      return invalid_argument(
          "there must be an entry for each feature, but " + first.name + " has " +
          std::to_string(first.length) + " and " + list.name + " " + std::to_string(list.length));
  return {};
}

Status need_feature_types(const std::string& attr, const DTypes& dtypes) {
  for (auto dtype : dtypes)
    if (dtype != DType::float32 && dtype != DType::int64 && dtype != DType::string)
      return invalid_argument(
          attr + " cannot contain " + to_string(dtype) +
          ": values of features are float32, int64 or string");
  return {};
}

Status need_dense_shapes(const std::string& attr, const Shapes& shapes, bool allow_variable) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    auto shape = shapes[i];
    if (allow_variable && shape.rank() > 0 && shape[0] == Shape::unknown) shape.set(0, 0);
    if (shape.is_known()) continue;
    return invalid_argument(
        attr + "[" + std::to_string(i) + "] has unknown rank or unknown " +
        (allow_variable ? "inner " : "") + "dimensions: " + shapes[i].to_string());
  }
  return {};
}

Result<Shape> with_front(std::initializer_list<int64_t> front, const Shape& shape) {
  std::vector<int64_t> sizes(front);
  sizes.insert(sizes.end(), shape.sizes().begin(), shape.sizes().end());
  return Shape::make(sizes);
}

void OutputShapes::add_sparse(int64_t count, int64_t rank) {
  for (int64_t i = 0; i < count; ++i) add({Shape::unknown, rank});
  for (int64_t i = 0; i < count; ++i) add({Shape::unknown});
  for (int64_t i = 0; i < count; ++i) add({rank});
}

Status OutputShapes::add_dense(std::initializer_list<int64_t> front, const Shapes& shapes) {
  for (const auto& shape : shapes) {
    auto whole = with_front(front, shape);
    if (!whole) return whole.status();
    add(*whole);
  }
  return {};
}

Result<int64_t> vector_length(const ShapeInference& s, int input) {
  if (auto status = s.need_rank(input, 1); !status.ok()) return status;
  return s.input(input).has_rank() ? s.input(input)[0] : Shape::unknown;
}

}  // namespace troupe
