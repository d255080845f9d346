#include "troupe/devices/cuda/nn/depthwise.hpp"

#include "troupe/devices/cpu/nn/convolution/convolution.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

namespace troupe::cuda {
namespace {

struct DepthwiseOp {
  cpu::ConvolutionNode node;
  LaunchDepthwise function;
};

/// Starts the kernels where there are products to add up.
Status start_depthwise(
    Launch& launch, const DepthwiseOp& op, const cpu::Convolution& c, Tensor& result) {
  DepthwiseCall call{
      .result = result.mutable_raw(),
      .input = launch.input(0).raw(),
      .filter = launch.input(1).raw(),
      .dy = op.node.pass == cpu::ConvolutionPass::output ? nullptr : launch.input(2).raw(),
      .partial = nullptr,
      .geometry = {ImageWindows::of(c), c.groups, c.outputs, c.channels_first},
      .stream = stream_of(launch)};
  Tensor partial;
  if (op.node.pass == cpu::ConvolutionPass::filter) {
    constexpr int64_t widest = 8;
    auto bytes = call.geometry.parts() * call.geometry.filter_elements() * widest;
    auto memory = scratch(launch, static_cast<size_t>(bytes));
    if (!memory) return memory.status();
    partial = *std::move(memory);
    call.partial = partial.mutable_raw();
  }
  op.function(call);
  return launched("a depthwise convolution");
}

Status compute_depthwise(Launch& launch, const DepthwiseOp& op, DType dtype) {
  auto plan = op.node.over(launch);
  if (!plan) return plan.status();
  auto result = launch.allocate(dtype, plan->result);
  if (!result) return result.status();
  auto status = plan->is_empty() ? set_zeros(launch, *result)
                                 : start_depthwise(launch, op, plan->convolution, *result);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

DepthwisePass depthwise_pass(cpu::ConvolutionPass pass) {
  switch (pass) {
    case cpu::ConvolutionPass::output: return DepthwisePass::forward;
    case cpu::ConvolutionPass::input: return DepthwisePass::to_input;
    default: return DepthwisePass::to_filter;
  }
}

KernelCatalog::Make depthwise(cpu::ConvolutionPass pass) {
  return [pass](const Node& node) -> Result<Kernel> {
    auto convolution = cpu::ConvolutionNode::of(node, pass, /*is_depthwise=*/true);
    if (!convolution) return convolution.status();
    auto dtype = node.attr<DType>("T");
    auto function = find_depthwise(element_of(dtype), depthwise_pass(pass));
    if (!function) return no_kernel(dtype);
    DepthwiseOp op{*convolution, function};
    return Kernel{
        .compute = [op, dtype](Launch& launch) { return compute_depthwise(launch, op, dtype); }};
  };
}

}  // namespace

void add_depthwise_kernels(KernelCatalog& catalog) {
  const std::string name = "DepthwiseConv2dNative";
  catalog.add(name, depthwise(cpu::ConvolutionPass::output));
  catalog.add(name + "BackpropInput", depthwise(cpu::ConvolutionPass::input));
  catalog.add(name + "BackpropFilter", depthwise(cpu::ConvolutionPass::filter));
  catalog.on_host(name + "BackpropInput", {0});
  catalog.on_host(name + "BackpropFilter", {1});
}

}  // namespace troupe::cuda
