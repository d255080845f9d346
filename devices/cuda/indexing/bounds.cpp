#include "troupe/devices/cuda/indexing/bounds.hpp"

#include <algorithm>
#include <span>
#include <vector>

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

/// As many boundaries at once as one kernel takes.
Status compute_buckets(
    Launch& launch, LaunchBuckets function, const std::vector<float>& boundaries) {
  const auto& values = launch.input(0);
  auto result = launch.allocate(DType::int32, values.shape());
  if (!result) return result.status();
  BucketsCall call{
      .out = out<int32_t>(*result),
      .adds = false,
      .values = values.raw(),
      .count = values.elements(),
      .boundaries = {},
      .boundary_count = 0,
      .stream = stream_of(launch)};
  auto left = std::span(boundaries);
  while (call.count > 0 && (!call.adds || !left.empty())) {
    auto now = left.first(std::min<size_t>(left.size(), BucketsCall::boundaries_max));
    std::ranges::copy(now, call.boundaries);
    call.boundary_count = static_cast<int>(now.size());
    function(call);
    call.adds = true;
    left = left.subspan(now.size());
  }
  return set_launched(launch, 0, *std::move(result), "a search");
}

Result<Kernel> make_buckets(const Node& node) {
  auto function = find_buckets(element_of(node.attr<DType>("T")));
  if (!function) return no_kernel(node.attr<DType>("T"));
  return Kernel{
      .compute = [function, boundaries = node.attr<std::vector<float>>("boundaries")](
                     Launch& launch) { return compute_buckets(launch, function, boundaries); }};
}

}  // namespace

void add_bounds_kernels(KernelCatalog& catalog) {
  catalog.add("LowerBound", bounds(/*is_lower=*/true));
  catalog.add("UpperBound", bounds(/*is_lower=*/false));
  catalog.add("Bucketize", make_buckets);
}

}  // namespace troupe::cuda
