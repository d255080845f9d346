#include "troupe/devices/cpu/indexing/stitches.hpp"

#include <algorithm>
#include <string>

namespace troupe::cpu {
namespace {

/// The axes of `whole` after those of `prefix`, with which it must begin.
Result<Shape> axes_after(const Shape& whole, const Shape& prefix) {
  auto count = static_cast<size_t>(prefix.rank());
  if (whole.rank() >= prefix.rank() &&
      std::ranges::equal(whole.sizes().first(count), prefix.sizes()))
    return Shape(whole.sizes().subspan(count));
  return invalid_argument(
      "the shape of the data, " + whole.to_string() + ", must begin with that of the indices, " +
      prefix.to_string());
}

/// Which slices each part gets.
Result<std::vector<std::vector<int64_t>>> slices_of_parts(const Tensor& chosen, int64_t parts) {
  std::vector<std::vector<int64_t>> slices(static_cast<size_t>(parts));
  for (int64_t i = 0; i < chosen.elements(); ++i) {
    auto part = chosen.data<int32_t>()[i];
    if (part < 0 || part >= parts)
      return invalid_argument(
          "partition " + std::to_string(part) + " (number " + std::to_string(i) +
          " of the partitions) is not in [0, " + std::to_string(parts) + ")");
    slices[static_cast<size_t>(part)].push_back(i);
  }
  return slices;
}

/// Whether a slice is given for each place.
bool are_all_named(const Launch& launch, int count, int64_t slices) {
  int64_t given = 0;
  for (int i = 0; i < count; ++i) given += launch.input(i).elements();
  if (given < slices) return false;
  std::vector<bool> is_named(static_cast<size_t>(slices));
  for (int i = 0; i < count; ++i)
    for (auto place : launch.input(i).values<int32_t>())
      is_named[static_cast<size_t>(place)] = true;
  return std::ranges::count(is_named, false) == 0;
}

}  // namespace

Result<Shape> shape_of_slices(int64_t count, const Shape& slice) {
  std::vector<int64_t> sizes = {count};
  sizes.insert(sizes.end(), slice.sizes().begin(), slice.sizes().end());
  return Shape::make(sizes);
}

Result<PartSlices> read_parts(const Launch& launch, int64_t parts) {
  auto slice = axes_after(launch.input(0).shape(), launch.input(1).shape());
  if (!slice) return slice.status();
  auto slices = slices_of_parts(launch.input(1), parts);
  if (!slices) return slices.status();
  return PartSlices{.slice = *slice, .parts = *std::move(slices)};
}

Result<Stitches> read_stitches(const Launch& launch) {
  auto count = launch.input_count() / 2;
  Stitches stitches;
  int64_t most = -1;
  for (int i = 0; i < count; ++i) {
    const auto& indices = launch.input(i);
    for (int64_t k = 0; k < indices.elements(); ++k) {
      auto index = indices.data<int32_t>()[k];
      if (index < 0)
        return invalid_argument(
            "index " + std::to_string(index) + " (number " + std::to_string(k) + " of indices " +
            std::to_string(i) + ") is negative");
      most = std::max(most, int64_t{index});
    }
    auto first = axes_after(launch.input(count).shape(), launch.input(0).shape());
    auto slice = axes_after(launch.input(count + i).shape(), indices.shape());
    for (const auto* axes : {&first, &slice})
      if (!*axes) return axes->status();
    if (*first != *slice)
      return invalid_argument(
          "the slices of data " + std::to_string(i) + " have the shape " + slice->to_string() +
          ", but those before have " + first->to_string());
    stitches.slice = *slice;
  }
  stitches.count = most + 1;
  stitches.is_full = are_all_named(launch, count, stitches.count);
  return stitches;
}

}  // namespace troupe::cpu
