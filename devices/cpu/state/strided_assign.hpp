#pragma once

#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/kernel.hpp"
#include "troupe/graph/ops/array/strided_slice.hpp"

namespace troupe::cpu {

/// The slice of a variable's value to which input 4 is assigned: fails unless that has the dtype
/// and can be broadcast to the slice.
Result<ops::StridedSlice> resolve_assigned(
    const Launch& launch, const Tensor& whole, const ops::SliceEntries& entries,
    const ops::SliceMasks& masks);

/// Calls add_axis(size, stride in the whole, stride in the value) for each axis of the slice but
/// those of size 1, from the innermost on, and returns where in the whole the slice begins. Axes of
/// size 1 matter to neither, and the others are those of both, in one order.
template <class F>
int64_t walk_assigned(
    const Shape& whole, const ops::StridedSlice& slice, const Shape& value, const F& add_axis) {
  auto strides = strides_of(whole), value_strides = strides_of(value);
  int64_t first = 0;
  int place = slice.result.rank() - 1;
  for (int axis = whole.rank() - 1; axis >= 0; --axis) {
    const auto& taken = slice.axes[static_cast<size_t>(axis)];
    auto stride = strides[static_cast<size_t>(axis)];
    first += taken.begin * stride;
    if (taken.size == 1) continue;
    while (slice.result[place] == 1) --place;
    auto from = place-- - (slice.result.rank() - value.rank());
    auto repeats = from < 0 || value[from] == 1;
    add_axis(
        taken.size, taken.stride * stride,
        repeats ? int64_t{0} : value_strides[static_cast<size_t>(from)]);
  }
  return first;
}

}  // namespace troupe::cpu
