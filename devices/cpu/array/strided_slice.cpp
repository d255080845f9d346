#include "troupe/devices/cpu/array/strided_slice.hpp"

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

using ops::SliceEntries;
using ops::SliceMasks;
using ops::StridedSlice;

/// The walk over the elements of a slice: as they lie in its result, and in the whole, where they
/// begin at `first`.
struct SliceWalk {
  LoopNest<2> nest;
  int64_t first = 0;
};

enum class Direction : uint8_t { from_whole, to_whole };

SliceWalk walk_slice(const Shape& whole, const StridedSlice& slice, Direction direction) {
  SliceWalk walk;
  auto strides = strides_of(whole);
  int64_t stride = 1;
  for (int axis = whole.rank() - 1; axis >= 0; --axis) {
    const auto& taken = slice.axes[axis];
    auto whole_stride = taken.stride * strides[axis];
    if (direction == Direction::from_whole) walk.nest.add_axis(taken.size, {stride, whole_stride});
    else walk.nest.add_axis(taken.size, {whole_stride, stride});
    walk.first += taken.begin * strides[axis];
    stride *= taken.size;
  }
  return walk;
}

/// True if the slice has all elements, in their order.
bool takes_all(const Shape& whole, const StridedSlice& slice) {
  for (int axis = 0; axis < whole.rank(); ++axis)
    if (slice.axes[axis].size != whole[axis] || slice.axes[axis].stride != 1) return false;
  return true;
}

Status compute_strided_slice(Launch& launch, const SliceMasks& masks) {
  SliceEntries entries;
  if (auto status = read_slice_entries(launch, entries); !status.ok()) return status;
  const auto whole = launch.input(0).shape();
  auto slice = ops::resolve_slice(whole, entries, masks);
  if (!slice) return slice.status();
  if (takes_all(whole, *slice)) {
    launch.set(0, launch.take_input(0).reshaped(slice->result));
    return {};
  }
  auto walk = walk_slice(whole, *slice, Direction::from_whole);
  auto out =
      part_of(launch.input(0), walk.first, walk.nest, slice->result, launch.device().allocator());
  if (out) launch.set(0, *std::move(out));
  return out.status();
}

Status compute_strided_slice_grad(Launch& launch, const SliceMasks& masks) {
  SliceEntries entries;
  if (auto status = read_slice_entries(launch, entries); !status.ok()) return status;
  auto whole = shape_input(launch.input(0));
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
  auto out = launch.allocate(dy.dtype(), *whole);
  if (!out) return out.status();
  set_zeros(*out);
  if (dy.elements() > 0) {
    auto walk = walk_slice(*whole, *slice, Direction::to_whole);
    copy_nest(*out, walk.first, dy, 0, walk.nest);
  }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

Status read_slice_entries(const Launch& launch, SliceEntries& entries) {
  const auto& shape = launch.input(1).shape();
  for (int i = 1; i <= 3; ++i)
    if (launch.input(i).shape().rank() != 1 || launch.input(i).shape() != shape)
      return invalid_argument(
          "begin, end and strides must be vectors of one length, but have the shapes " +
          launch.input(1).shape().to_string() + ", " + launch.input(2).shape().to_string() +
          " and " + launch.input(3).shape().to_string());
  if (shape[0] > SliceEntries::most)
    return invalid_argument(
        "a slice can have at most " + std::to_string(SliceEntries::most) + " entries, not " +
        std::to_string(shape[0]));
  entries.count = static_cast<int>(shape[0]);
  for_dtype(Indices{}, launch.input(1).dtype(), [&](auto zero) {
    using I = decltype(zero);
    for (int i = 0; i < entries.count; ++i)
      entries.entries[i] = {
          launch.input(1).data<I>()[i], launch.input(2).data<I>()[i], launch.input(3).data<I>()[i]};
  });
  return {};
}

void add_strided_slice_kernels(KernelCatalog& catalog) {
  catalog.add("StridedSlice", [](const Node& node) {
    return copying_kernel(node.attr<DType>("T"), [masks = SliceMasks::of(node)](Launch& launch) {
      return compute_strided_slice(launch, masks);
    });
  });
  catalog.add("StridedSliceGrad", [](const Node& node) {
    return copying_kernel(node.attr<DType>("T"), [masks = SliceMasks::of(node)](Launch& launch) {
      return compute_strided_slice_grad(launch, masks);
    });
  });
}

}  // namespace troupe::cpu
