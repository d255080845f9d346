#include "troupe/devices/cuda/indexing/named_slices.hpp"

#include <limits>
#include <string>
#include <vector>

#include "troupe/devices/cuda/launch.hpp"

namespace troupe::cuda {

Result<FoundSlices> find_named_slices(const Shape& whole, const Shape& indices) {
  if (indices.is_scalar())
    return invalid_argument("the indices must have at least one axis, that of their numbers");
  auto last = indices.rank() - 1;
  if (indices[last] > whole.rank())
    return invalid_argument(
        "indices of " + std::to_string(indices[last]) + " numbers do not fit the shape " +
        whole.to_string() + ", which has fewer axes");
  FoundSlices found{
      .slices = {.count = 1, .size = 1, .depth = static_cast<int>(indices[last]), .sizes = {}},
      .shape = {}};
  auto& slices = found.slices;
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < last; ++axis) {
    sizes.push_back(indices[axis]);
    slices.count *= indices[axis];
  }
  for (int axis = 0; axis < slices.depth; ++axis) slices.sizes[axis] = whole[axis];
  for (int axis = slices.depth; axis < whole.rank(); ++axis) {
    sizes.push_back(whole[axis]);
    slices.size *= whole[axis];
  }
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  found.shape = *shape;
  return found;
}

Result<Tensor> numbers_of_last(const Launch& launch, const NamedSlices& slices) {
  if (slices.count > std::numeric_limits<int32_t>::max())
    return unimplemented("a card replaces at most 2,147,483,647 slices at once");
  int64_t all = 1;
  for (int d = 0; d < slices.depth; ++d) all *= slices.sizes[d];
  auto last = launch.allocate(DType::int32, {all});
  if (!last) return last;
  auto status = to_status(
      cudaMemsetAsync(last->mutable_raw(), 0xff, last->bytes(), stream_of(launch)), "a fill");
  return status.ok() ? last : Result<Tensor>(status);
}

}  // namespace troupe::cuda
