#include "troupe/devices/cuda/indexing/inplace.hpp"

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/reduction/sorted_numbers.hpp"

namespace troupe::cuda {
namespace {

/// `fold`: null where rows are replaced.
Status change_rows(const Launch& launch, Tensor& to, LaunchInplace fold) {
  const auto &rows = launch.input(1), &by = launch.input(2);
  auto wrapped = launch.allocate(DType::int64, rows.shape());
  if (!wrapped) return wrapped.status();
  InplaceCall call{
      .to = to.mutable_raw(),
      .by = by.raw(),
      .rows = in<int32_t>(launch, 1),
      .wrapped = out<int64_t>(*wrapped),
      .count = rows.elements(),
      .row_count = to.shape()[0],
      .row_size = to.elements() / to.shape()[0],
      .stream = stream_of(launch)};
  launch_wrap_rows(call);
  auto sorted = sort_numbers(launch, *wrapped);
  if (!sorted) return sorted.status();
  call.sorted = static_cast<const int64_t*>(sorted->numbers.raw());
  call.places = static_cast<const int32_t*>(sorted->places.raw());
  if (fold) fold(call);
  else launch_inplace_update(call, static_cast<int>(size_of(to.dtype())));
  return launched("a change of rows");
}

Status compute_inplace(Launch& launch, LaunchInplace fold) {
  const auto x = launch.input(0).shape();
  auto status = cpu::check_inplace_shapes(x, launch.input(1).shape(), launch.input(2).shape());
  if (!status.ok()) return status;
  auto result = launch.reuse_or_allocate({0}, launch.input(0).dtype(), x);
  if (!result) return result.status();
  status = copy_all(launch, *result, launch.input(0));
  if (status.ok() && result->elements() > 0 && launch.input(2).elements() > 0)
    status = change_rows(launch, *result, fold);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

KernelCatalog::Make inplace(InplaceRule rule) {
  return [rule](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    auto replaces = rule == InplaceRule::replace;
    auto fold = replaces ? nullptr : find_inplace(element_of(dtype), rule);
    if (!replaces && !fold) return no_kernel(dtype);
    return copying_kernel(dtype, [fold](Launch& launch) { return compute_inplace(launch, fold); });
  };
}

}  // namespace

void add_inplace_kernels(KernelCatalog& catalog) {
  catalog.add("InplaceUpdate", inplace(InplaceRule::replace));
  catalog.add("InplaceAdd", inplace(InplaceRule::add));
  catalog.add("InplaceSub", inplace(InplaceRule::subtract));
}

}  // namespace troupe::cuda
