#include "troupe/devices/cuda/indexing/bounds.hpp"

#include "troupe/devices/cpu/indexing/sorted_rows.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

KernelCatalog::Make bounds(bool is_lower) {
  return [is_lower](const Node& node) -> Result<Kernel> {
    auto function = find_bounds(element_of(node.attr<DType>("T")));
    if (!function) return no_kernel(node.attr<DType>("T"));
    return Kernel{.compute = [=, dtype = node.attr<DType>("out_type")](Launch& launch) -> Status {
      const auto &sorted = launch.input(0), &values = launch.input(1);
      auto status = cpu::check_sorted_rows(sorted.shape(), values.shape(), dtype);
      if (!status.ok()) return status;
      auto result = launch.allocate(dtype, values.shape());
      if (!result) return result.status();
      if (result->elements() > 0)
        function(
            {.out = result->mutable_raw(),
             .is_long = dtype == DType::int64,
             .sorted = sorted.raw(),
             .values = values.raw(),
             .rows = values.shape()[0],
             .size = sorted.shape()[1],
             .count = values.shape()[1],
             .is_lower = is_lower,
             .stream = stream_of(launch)});
      return set_launched(launch, 0, *std::move(result), "a search");
    }};
  };
}

}  // namespace

void add_bounds_kernels(KernelCatalog& catalog) {
  catalog.add("LowerBound", bounds(/*is_lower=*/true));
  catalog.add("UpperBound", bounds(/*is_lower=*/false));
}

}  // namespace troupe::cuda
