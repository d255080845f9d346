#include <array>
#include <string>

#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/state/state.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/graph/ops/array/strided_slice.hpp"

namespace troupe::cpu {
namespace {

Status read_assigned_slice(const Launch& launch, ops::SliceEntries& entries) {
  const auto& shape = launch.input(1).shape();
  for (int i = 1; i <= 3; ++i)
    if (launch.input(i).shape().rank() != 1 || launch.input(i).shape() != shape)
      return invalid_argument(
          "begin, end and strides must be vectors of one length, but have the shapes " +
          launch.input(1).shape().to_string() + ", " + launch.input(2).shape().to_string() +
          " and " + launch.input(3).shape().to_string());
  if (shape[0] > ops::SliceEntries::most)
    return invalid_argument(
        "a slice can have at most " + std::to_string(ops::SliceEntries::most) + " entries, not " +
        std::to_string(shape[0]));
  entries.count = static_cast<int>(shape[0]);
  for_dtype(Indices{}, launch.input(1).dtype(), [&](auto zero) {
    using I = decltype(zero);
    for (int i = 0; i < entries.count; ++i)
      entries.entries[static_cast<size_t>(i)] = {
          launch.input(1).data<I>()[i], launch.input(2).data<I>()[i], launch.input(3).data<I>()[i]};
  });
  return {};
}

/// Where the elements of a slice lie in the whole, and in a value that is broadcast to it.
struct AssignWalk {
  LoopNest<2> nest;
  int64_t first = 0;
};

/// Axes of size 1 matter to neither, and the others are those of both, in one order.
AssignWalk walk_assigned(const Shape& whole, const ops::StridedSlice& slice, const Shape& value) {
  AssignWalk walk;
  auto strides = strides_of(whole), value_strides = strides_of(value);
  int place = slice.result.rank() - 1;
  for (int axis = whole.rank() - 1; axis >= 0; --axis) {
    const auto& taken = slice.axes[static_cast<size_t>(axis)];
    auto stride = strides[static_cast<size_t>(axis)];
    walk.first += taken.begin * stride;
    if (taken.size == 1) continue;
    while (slice.result[place] == 1) --place;
    auto from = place-- - (slice.result.rank() - value.rank());
    auto repeats = from < 0 || value[from] == 1;
    walk.nest.add_axis(
        taken.size,
        {taken.stride * stride, repeats ? 0 : value_strides[static_cast<size_t>(from)]});
  }
  return walk;
}

template <class C>
void assign_elements(C* to, const C* from, const LoopNest<2>& nest) {
  auto size = nest.row_size();
  auto [to_stride, from_stride] = nest.row_strides();
  parallel_ranges(nest.rows(), size, [&](int64_t begin, int64_t end) {
    nest.each_row(begin, end, [&](int64_t, const auto& at) {
      auto* row = to + at[0];
      const auto* values = from + at[1];
      for (int64_t i = 0; i < size; ++i) row[i * to_stride] = values[i * from_stride];
    });
  });
}

template <class C>
Status assign_slice(Launch& launch, const ops::SliceMasks& masks) {
  ops::SliceEntries entries;
  if (auto status = read_assigned_slice(launch, entries); !status.ok()) return status;
  return update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& whole = *values[0];
    const auto& value = launch.input(4);
    if (value.dtype() != whole.dtype())
      return invalid_argument(
          std::string("the variable is ") + to_string(whole.dtype()) + ", but the value is " +
          to_string(value.dtype()));
    auto slice = ops::resolve_slice(whole.shape(), entries, masks);
    if (!slice) return slice.status();
    auto shape = broadcast(value.shape(), slice->result);
    if (!shape || *shape != slice->result)
      return invalid_argument(
          "a value of shape " + value.shape().to_string() + " cannot be broadcast to the shape " +
          slice->result.to_string() + " of the slice");
    if (slice->result.elements() == 0) return {};
    auto updated = copy_for_update(launch, whole);
    if (!updated) return updated.status();
    auto walk = walk_assigned(whole.shape(), *slice, value.shape());
    assign_elements(mutable_cells<C>(*updated) + walk.first, cells<C>(value), walk.nest);
    whole = *std::move(updated);
    return {};
  });
}

}  // namespace

void add_strided_assign_kernels(KernelCatalog& catalog) {
  catalog.add("ResourceStridedSliceAssign", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{.compute = [masks = ops::SliceMasks::of(node)](Launch& launch) {
        return assign_slice<decltype(cell)>(launch, masks);
      }};
    });
  });
}

}  // namespace troupe::cpu
