#include "troupe/devices/cuda/reduction/scan.hpp"

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

struct ScanOp {
  LaunchScan function;
  bool is_exclusive, is_reverse;
};

Status compute_scan(Launch& launch, const ScanOp& op) {
  const auto& in = launch.input(0);
  const auto shape = in.shape();
  auto given = cpu::scalar_input(launch.input(1), "the axis");
  if (!given) return given.status();
  auto axis = find_axis(*given, shape.rank());
  if (!axis) return axis.status();
  auto result = launch.allocate(in.dtype(), shape);
  if (!result) return result.status();
  ScanCall call{
      .out = result->mutable_raw(),
      .from = in.raw(),
      .outer = 1,
      .size = shape[*axis],
      .inner = 1,
      .is_exclusive = op.is_exclusive,
      .is_reverse = op.is_reverse,
      .stream = stream_of(launch)};
  for (int i = 0; i < shape.rank(); ++i)
    if (i != *axis) (i < *axis ? call.outer : call.inner) *= shape[i];
  if (result->elements() > 0) op.function(call);
  return set_launched(launch, 0, *std::move(result), "a scan");
}

KernelCatalog::Make scan(ScanKind kind) {
  return [kind](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    ScanOp op{
        find_scan(kind, element_of(dtype)), node.attr<bool>("exclusive"),
        node.attr<bool>("reverse")};
    if (!op.function) return no_kernel(dtype);
    return Kernel{.compute = [op](Launch& launch) { return compute_scan(launch, op); }};
  };
}

}  // namespace

void add_scan_kernels(KernelCatalog& catalog) {
  catalog.add("Cumsum", scan(ScanKind::sum));
  catalog.add("Cumprod", scan(ScanKind::product));
  catalog.add("CumulativeLogsumexp", scan(ScanKind::log_sum_exp));
}

}  // namespace troupe::cuda
