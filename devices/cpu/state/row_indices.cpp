#include "troupe/devices/cpu/state/row_indices.hpp"

#include <string>

#include "troupe/devices/cpu/dispatch.hpp"

namespace troupe::cpu {
namespace {

/// The number of elements, which fits: where a size is 0, the others may be anything.
int64_t elements_of(std::span<const int64_t> sizes) { return Shape(sizes).elements(); }

/// The positions that the indices name on axes of those sizes, as numbers of parts.
template <class I>
Status number_parts(const Tensor& indices, std::span<const int64_t> sizes, Rows& rows) {
  const auto* index = indices.data<I>();
  auto depth = sizes.size();
  for (size_t i = 0; i < rows.chosen.size(); ++i) {
    uint64_t number = 0;  // which may wrap around before a wrong index is found
    for (size_t axis = 0; axis < depth; ++axis) {
      auto at = int64_t{index[i * depth + axis]};
      if (at < 0 || at >= sizes[axis])
        return invalid_argument(
            "index " + std::to_string(at) + " (number " + std::to_string(i * depth + axis) +
            " of the indices) is not in [0, " + std::to_string(sizes[axis]) + ")");
      number = number * static_cast<uint64_t>(sizes[axis]) + static_cast<uint64_t>(at);
    }
    rows.chosen[i] = static_cast<int64_t>(number);
  }
  return {};
}

Result<Rows> choose(const Tensor& indices, int64_t count, int depth, const Shape& shape) {
  auto chosen_axes = shape.sizes().first(static_cast<size_t>(depth));
  Rows rows{
      .chosen = std::vector<int64_t>(static_cast<size_t>(count)),
      .count = elements_of(chosen_axes),
      .size = elements_of(shape.sizes().subspan(static_cast<size_t>(depth)))};
  Status status = invalid_argument("indices must be int32 or int64");
  for_dtype(Indices{}, indices.dtype(), [&](auto zero) {
    status = number_parts<decltype(zero)>(indices, chosen_axes, rows);
  });
  if (!status.ok()) return status;
  return rows;
}

}  // namespace

Result<Rows> choose_rows(const Tensor& indices, const Shape& shape) {
  if (shape.is_scalar()) return invalid_argument("the variable is a scalar, which has no rows");
  return choose(indices, indices.elements(), 1, shape);
}

Result<int> depth_of(const Tensor& indices, const Shape& shape) {
  const auto& given = indices.shape();
  if (given.is_scalar()) return invalid_argument("indices must not be a scalar");
  auto depth = given[given.rank() - 1];
  if (depth > shape.rank())
    return invalid_argument(
        "indices of shape " + given.to_string() + " name positions on " + std::to_string(depth) +
        " axes, but the variable has the shape " + shape.to_string());
  return static_cast<int>(depth);
}

Result<Rows> choose_parts(const Tensor& indices, const Shape& shape) {
  auto depth = depth_of(indices, shape);
  if (!depth) return depth.status();
  const auto& given = indices.shape();
  auto count = elements_of(given.sizes().first(static_cast<size_t>(given.rank()) - 1));
  // Neither indices nor parts have elements then, so there may be more than memory has room for.
  if (*depth == 0 && shape.elements() == 0) count = 0;
  return choose(indices, count, *depth, shape);
}

}  // namespace troupe::cpu
