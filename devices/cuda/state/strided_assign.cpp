#include "troupe/devices/cpu/state/strided_assign.hpp"

#include "troupe/devices/cpu/array/strided_slice.hpp"
#include "troupe/devices/cpu/state/variable_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

namespace troupe::cuda {
namespace {

/// Assigns input 4, broadcast, to a slice of a variable, where the variable lies if nobody reads
/// it.
Status assign_slice(Launch& launch, const ops::SliceMasks& masks) {
  ops::SliceEntries entries;
  if (auto status = cpu::read_slice_entries(launch, entries); !status.ok()) return status;
  return cpu::update_variables<1>(launch, [&](const auto& values) -> Status {
    auto& whole = *values[0];
    const auto& value = launch.input(4);
    auto slice = cpu::resolve_assigned(launch, whole, entries, masks);
    if (!slice) return slice.status();
    if (slice->result.elements() == 0) return {};
    auto updated = cpu::allocate_update(launch, whole);
    if (!updated) return updated.status();
    if (auto status = copy_all(launch, *updated, whole); !status.ok()) return status;
    StridedWalk<2> walk;
    auto first = cpu::walk_assigned(
        whole.shape(), *slice, value.shape(),
        [&](int64_t size, int64_t stride, int64_t value_stride) {
          walk.add_axis(size, {{stride, value_stride}});
        });
    copy_walk(launch, *updated, first, value, 0, walk);
    auto status = launched("an assignment to a slice");
    if (status.ok()) whole = *std::move(updated);
    return status;
  });
}

}  // namespace

void add_strided_assign_kernels(KernelCatalog& catalog) {
  catalog.add("ResourceStridedSliceAssign", [](const Node& node) {
    auto compute = [masks = ops::SliceMasks::of(node)](Launch& launch) {
      return assign_slice(launch, masks);
    };
    return copying_kernel(node.attr<DType>("T"), compute);
  });
}

}  // namespace troupe::cuda
