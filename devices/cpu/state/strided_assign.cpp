#include "troupe/devices/cpu/state/strided_assign.hpp"

#include <string>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/array/strided_slice.hpp"
#include "troupe/devices/cpu/state/state.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"

namespace troupe::cpu {
namespace {

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
void set_slice(Tensor& whole, const ops::StridedSlice& slice, const Tensor& value) {
  LoopNest<2> nest;
  auto first = walk_assigned(
      whole.shape(), slice, value.shape(), [&](int64_t size, int64_t stride, int64_t value_stride) {
        nest.add_axis(size, {stride, value_stride});
      });
  assign_elements(mutable_cells<C>(whole) + first, cells<C>(value), nest);
}

template <class C>
Status assign_slice(Launch& launch, const ops::SliceMasks& masks) {
  ops::SliceEntries entries;
  if (auto status = read_slice_entries(launch, entries); !status.ok()) return status;
  return update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& whole = *values[0];
    auto slice = resolve_assigned(launch, whole, entries, masks);
    if (!slice) return slice.status();
    if (slice->result.elements() == 0) return {};
    auto updated = copy_for_update(launch, whole);
    if (!updated) return updated.status();
    set_slice<C>(*updated, *slice, launch.input(4));
    whole = *std::move(updated);
    return {};
  });
}

/// The same of a tensor, input 0.
template <class C>
Status update_slice(Launch& launch, const ops::SliceMasks& masks) {
  ops::SliceEntries entries;
  if (auto status = read_slice_entries(launch, entries); !status.ok()) return status;
  const auto whole = launch.input(0);
  auto slice = resolve_assigned(launch, whole, entries, masks);
  if (!slice) return slice.status();
  auto out = launch.allocate(whole.dtype(), whole.shape());
  if (!out) return out.status();
  copy_all(*out, whole);
  if (slice->result.elements() > 0) set_slice<C>(*out, *slice, launch.input(4));
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

Result<ops::StridedSlice> resolve_assigned(
    const Launch& launch, const Tensor& whole, const ops::SliceEntries& entries,
    const ops::SliceMasks& masks) {
  const auto& value = launch.input(4);
  if (value.dtype() != whole.dtype())
    return invalid_argument(
        std::string("the variable is ") + to_string(whole.dtype()) + ", but the value is " +
        to_string(value.dtype()));
  auto slice = ops::resolve_slice(whole.shape(), entries, masks);
  if (!slice) return slice;
  auto shape = broadcast(value.shape(), slice->result);
  if (!shape || *shape != slice->result)
    return invalid_argument(
        "a value of shape " + value.shape().to_string() + " cannot be broadcast to the shape " +
        slice->result.to_string() + " of the slice");
  return slice;
}

void add_strided_assign_kernels(KernelCatalog& catalog) {
  catalog.add("TensorStridedSliceUpdate", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{.compute = [masks = ops::SliceMasks::of(node)](Launch& launch) {
        return update_slice<decltype(cell)>(launch, masks);
      }};
    });
  });
  catalog.add("ResourceStridedSliceAssign", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{.compute = [masks = ops::SliceMasks::of(node)](Launch& launch) {
        return assign_slice<decltype(cell)>(launch, masks);
      }};
    });
  });
}

}  // namespace troupe::cpu
