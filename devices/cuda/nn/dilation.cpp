#include "troupe/devices/cuda/nn/dilation.hpp"

#include <limits>

#include "troupe/devices/cpu/nn/dilation.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

namespace troupe::cuda {
namespace {

struct DilationOp {
  cpu::DilationNode node;
  LaunchDilation function;
  DilationPass pass;
};

/// Starts the kernels where there are elements of the result and windows.
Status start_dilation(
    Launch& launch, const DilationOp& op, const cpu::Convolution& c, Tensor& result) {
  DilationCall call{
      .result = result.mutable_raw(),
      .input = launch.input(0).raw(),
      .filter = launch.input(1).raw(),
      .dy = op.node.has_gradient ? launch.input(2).raw() : nullptr,
      .sources = nullptr,
      .partial = nullptr,
      .geometry = {ImageWindows::of(c), c.groups},
      .stream = stream_of(launch)};
  const auto& geometry = call.geometry;
  if (geometry.taps() > std::numeric_limits<int32_t>::max())
    return unimplemented("a filter with more than 2^31 places has no CUDA kernel");
  Tensor sources, partial;
  if (op.node.has_gradient) {
    auto memory = scratch(launch, static_cast<size_t>(geometry.out_elements()) * sizeof(int32_t));
    if (!memory) return memory.status();
    sources = *std::move(memory);
    call.sources = out<int32_t>(sources);
  }
  if (op.pass == DilationPass::to_filter) {
    constexpr int64_t widest = 8;
    auto bytes = geometry.parts() * geometry.filter_elements() * widest;
    auto memory = scratch(launch, static_cast<size_t>(bytes));
    if (!memory) return memory.status();
    partial = *std::move(memory);
    call.partial = partial.mutable_raw();
  }
  op.function(call);
  return launched("a dilation");
}

Status compute_dilation(Launch& launch, const DilationOp& op) {
  auto plan = op.node.over(launch);
  if (!plan) return plan.status();
  auto shape = op.pass == DilationPass::forward    ? plan->output
               : op.pass == DilationPass::to_input ? launch.input(0).shape()
                                                   : launch.input(1).shape();
  auto result = launch.allocate(launch.input(0).dtype(), shape);
  if (!result) return result.status();
  auto status = plan->output.elements() == 0 || result->elements() == 0
                    ? set_zeros(launch, *result)
                    : start_dilation(launch, op, plan->convolution, *result);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

KernelCatalog::Make make_dilation(DilationPass pass) {
  return [pass](const Node& node) -> Result<Kernel> {
    auto dilation = cpu::DilationNode::of(node, pass != DilationPass::forward);
    if (!dilation) return dilation.status();
    auto function = find_dilation(element_of(node.attr<DType>("T")), pass);
    if (!function) return no_kernel(node.attr<DType>("T"));
    DilationOp op{*dilation, function, pass};
    return Kernel{.compute = [op](Launch& launch) { return compute_dilation(launch, op); }};
  };
}

}  // namespace

void add_dilation_kernels(KernelCatalog& catalog) {
  catalog.add("Dilation2D", make_dilation(DilationPass::forward));
  catalog.add("Dilation2DBackpropInput", make_dilation(DilationPass::to_input));
  catalog.add("Dilation2DBackpropFilter", make_dilation(DilationPass::to_filter));
}

}  // namespace troupe::cuda
