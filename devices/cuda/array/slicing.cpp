#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/padding.hpp"
#include "troupe/devices/cpu/array/strided_slice.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {
namespace {

using ops::SliceEntries;
using ops::SliceMasks;
using ops::StridedSlice;

Status check_slice(const Shape& shape, const cpu::IntInput& begin, const cpu::IntInput& size) {
  if (begin.count() != shape.rank() || size.count() != shape.rank())
    return invalid_argument(
        "begin and size must have an entry for each axis of " + shape.to_string() + ", but have " +
        std::to_string(begin.count()) + " and " + std::to_string(size.count()));
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (begin[axis] < 0 || begin[axis] > shape[axis] || size[axis] < -1 ||
        size[axis] > shape[axis] - begin[axis])
      return invalid_argument(
          "a slice from " + std::to_string(begin[axis]) + " of size " + std::to_string(size[axis]) +
          " does not lie in axis " + std::to_string(axis) + " of " + shape.to_string());
  return {};
}

Status compute_slice(Launch& launch) {
  const auto& in = launch.input(0);
  const auto shape = in.shape();
  for (int i : {1, 2})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "begin and size must be vectors, not of shape " + launch.input(i).shape().to_string());
  auto begin = cpu::IntInput::of(launch.input(1)), size = cpu::IntInput::of(launch.input(2));
  for (const auto* ints : {&begin, &size})
    if (!*ints) return ints->status();
  if (auto status = check_slice(shape, *begin, *size); !status.ok()) return status;
  auto part = shape;
  for (int axis = 0; axis < shape.rank(); ++axis)
    part.set(axis, (*size)[axis] == -1 ? shape[axis] - (*begin)[axis] : (*size)[axis]);
  AxisStrides to(part), from(shape);
  StridedWalk<2> walk;
  int64_t first = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    walk.add_axis(part[axis], {{to.at[axis], from.at[axis]}});
    first += (*begin)[axis] * from.at[axis];
  }
  auto result = launch.allocate(in.dtype(), part);
  if (!result) return result.status();
  copy_walk(launch, *result, 0, in, first, walk);
  return set_launched(launch, 0, *std::move(result), "a copy");
}

/// Sets output 0 to input 0 with paddings, which are elements of the result before.
Status set_padded(Launch& launch, bool has_value) {
  const auto& in = launch.input(0);
  const auto shape = in.shape();
  auto paddings = cpu::Paddings::of(launch.input(1), shape.rank());
  if (!paddings) return paddings.status();
  auto padded = shape;
  for (int axis = 0; axis < shape.rank(); ++axis)
    padded.set(axis, paddings->before(axis) + shape[axis] + paddings->after(axis));
  auto checked = Shape::make(padded.sizes());
  if (!checked) return checked.status();
  auto result = launch.allocate(in.dtype(), padded);
  if (!result) return result.status();
  if (has_value) {
    StridedWalk<2> all;
    all.add_axis(padded.elements(), {{1, 0}});
    copy_walk(launch, *result, 0, launch.input(2), 0, all);
  } else if (auto status = set_zeros(launch, *result); !status.ok()) {
    return status;
  }
  AxisStrides to(padded), from(shape);
  StridedWalk<2> walk;
  int64_t first = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    walk.add_axis(shape[axis], {{to.at[axis], from.at[axis]}});
    first += paddings->before(axis) * to.at[axis];
  }
  copy_walk(launch, *result, first, in, 0, walk);
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Status compute_pad(Launch& launch) { return set_padded(launch, /*has_value=*/false); }

Status compute_pad_v2(Launch& launch) {
  if (!launch.input(2).shape().is_scalar())
    return invalid_argument(
        "'constant_values' must have rank 0, but have shape " +
        launch.input(2).shape().to_string());
  return set_padded(launch, /*has_value=*/true);
}

/// True if the slice has all elements, in their order.
bool takes_all(const Shape& whole, const StridedSlice& slice) {
  for (int axis = 0; axis < whole.rank(); ++axis) {
    const auto& taken = slice.axes[static_cast<size_t>(axis)];
    if (taken.size != whole[axis] || taken.stride != 1) return false;
  }
  return true;
}

/// Where the elements of a slice lie: the walk's first operand has them one after the other, the
/// second is the whole, in which they begin at `first`.
struct SliceWalk {
  StridedWalk<2> walk;
  int64_t first = 0;

  SliceWalk(const Shape& whole, const StridedSlice& slice, bool to_whole) {
    AxisStrides strides(whole);
    int64_t stride = 1;
    for (int axis = whole.rank() - 1; axis >= 0; --axis) {
      const auto& taken = slice.axes[static_cast<size_t>(axis)];
      auto in_whole = taken.stride * strides.at[axis];
      if (to_whole) walk.add_axis(taken.size, {{in_whole, stride}});
      else walk.add_axis(taken.size, {{stride, in_whole}});
      first += taken.begin * strides.at[axis];
      stride *= taken.size;
    }
  }
};

Status compute_strided_slice(Launch& launch, const SliceMasks& masks) {
  SliceEntries entries;
  if (auto status = cpu::read_slice_entries(launch, entries); !status.ok()) return status;
  const auto whole = launch.input(0).shape();
  auto slice = ops::resolve_slice(whole, entries, masks);
  if (!slice) return slice.status();
  if (takes_all(whole, *slice)) {
    launch.set(0, launch.take_input(0).reshaped(slice->result));
    return {};
  }
  auto result = launch.allocate(launch.input(0).dtype(), slice->result);
  if (!result) return result.status();
  if (result->elements() > 0) {
    SliceWalk walk(whole, *slice, /*to_whole=*/false);
    copy_walk(launch, *result, 0, launch.input(0), walk.first, walk.walk);
  }
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Status compute_strided_slice_grad(Launch& launch, const SliceMasks& masks) {
  SliceEntries entries;
  if (auto status = cpu::read_slice_entries(launch, entries); !status.ok()) return status;
  auto whole = cpu::shape_input(launch.input(0));
  if (!whole) return whole.status();
  auto slice = ops::resolve_slice(*whole, entries, masks);
  if (!slice) return slice.status();
  const auto& dy = launch.input(4);
  if (dy.shape() != slice->result)
    return invalid_argument(
        "dy must have the shape " + slice->result.to_string() + " of the slice, but has " +
        dy.shape().to_string());
  if (takes_all(*whole, *slice)) {
    launch.set(0, launch.take_input(4).reshaped(*whole));
    return {};
  }
  auto result = launch.allocate(dy.dtype(), *whole);
  if (!result) return result.status();
  if (auto status = set_zeros(launch, *result); !status.ok()) return status;
  if (dy.elements() > 0) {
    SliceWalk walk(*whole, *slice, /*to_whole=*/true);
    copy_walk(launch, *result, walk.first, dy, 0, walk.walk);
  }
  return set_launched(launch, 0, *std::move(result), "a copy");
}

KernelCatalog::Make sliced(Status (*compute)(Launch&, const SliceMasks&)) {
  return [compute](const Node& node) {
    return copying_kernel(
        node.attr<DType>("T"),
        [compute, masks = SliceMasks::of(node)](Launch& launch) { return compute(launch, masks); });
  };
}

/// Sets output 0 to input 0 with the elements of those axes in the opposite order.
Status set_reversed(Launch& launch, const bool* is_reversed) {
  const auto& in = launch.input(0);
  const auto shape = in.shape();
  AxisStrides strides(shape);
  StridedWalk<2> walk;
  int64_t first = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto stride = strides.at[axis];
    walk.add_axis(shape[axis], {{stride, is_reversed[axis] ? -stride : stride}});
    if (is_reversed[axis]) first += (shape[axis] - 1) * stride;
  }
  auto result = launch.allocate(in.dtype(), shape);
  if (!result) return result.status();
  copy_walk(launch, *result, 0, in, first, walk);
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Status compute_reverse(Launch& launch) {
  if (auto status = cpu::check_reversed_dims(launch); !status.ok()) return status;
  return set_reversed(launch, launch.input(1).data<bool>());
}

Status compute_reverse_v2(Launch& launch) {
  if (launch.input(1).shape().rank() != 1)
    return invalid_argument(
        "'axis' must have rank 1, but has shape " + launch.input(1).shape().to_string());
  auto axes = cpu::IntInput::of(launch.input(1));
  if (!axes) return axes.status();
  bool is_reversed[Shape::max_rank]{};
  for (auto given : axes->values()) {
    auto axis = find_axis(given, launch.input(0).shape().rank());
    if (!axis) return axis.status();
    if (std::exchange(is_reversed[*axis], true))
      return invalid_argument("axis " + std::to_string(*axis) + " is given twice");
  }
  return set_reversed(launch, is_reversed);
}

}  // namespace

void add_slicing_kernels(KernelCatalog& catalog) {
  catalog.add("Slice", copying(compute_slice));
  catalog.add("Pad", copying(compute_pad));
  catalog.add("PadV2", copying(compute_pad_v2));
  catalog.add("StridedSlice", sliced(compute_strided_slice));
  catalog.add("StridedSliceGrad", sliced(compute_strided_slice_grad));
  catalog.add("Reverse", copying(compute_reverse));
  catalog.add("ReverseV2", copying(compute_reverse_v2));
}

}  // namespace troupe::cuda
