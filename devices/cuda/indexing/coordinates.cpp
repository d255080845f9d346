#include "troupe/devices/cuda/indexing/coordinates.hpp"

#include "troupe/devices/cpu/indexing/coordinates.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

namespace troupe::cuda {
namespace {

Status compute_unravel_index(Launch& launch) {
  const auto& indices = launch.input(0);
  auto dims = cpu::find_counted_dims(indices.shape(), launch.input(1));
  if (!dims) return dims.status();
  auto result = launch.allocate(indices.dtype(), dims->coordinates);
  if (!result) return result.status();
  if (auto status = set_zeros(launch, *result); !status.ok()) return status;
  CoordinatesCall call{
      .to = result->mutable_raw(),
      .indices = indices.raw(),
      .is_long = indices.dtype() == DType::int64,
      .count = indices.elements(),
      .elements = dims->elements,
      .axes = {},
      .axis_count = 0,
      .stream = stream_of(launch)};
  auto rank = std::ssize(dims->sizes);
  for (int64_t axis = 0; axis < rank; ++axis) {
    auto size = dims->sizes[static_cast<size_t>(axis)];
    // The last one is there whatever its size: an index that is refused is seen by its -1.
    if (size > 1 || axis == rank - 1) call.axes[call.axis_count++] = {Divider(size), axis};
  }
  if (result->elements() > 0) launch_coordinates(call);
  return set_launched(launch, 0, *std::move(result), "coordinates");
}

}  // namespace

void add_coordinates_kernels(KernelCatalog& catalog) {
  catalog.add_compute("UnravelIndex", compute_unravel_index);
}

}  // namespace troupe::cuda
