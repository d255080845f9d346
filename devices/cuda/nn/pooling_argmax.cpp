#include "troupe/devices/cuda/nn/pooling_argmax.hpp"

#include <functional>

#include "troupe/devices/cpu/nn/pooling.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

/// What the ops with argmax know of their node.
struct ArgmaxNode {
  cpu::PoolNode pool;
  DType dtype, index;
  bool counts_images;

  static Result<ArgmaxNode> of(const Node& node) {
    auto pool = cpu::PoolNode::of(node, /*sizes_input=*/-1, /*may_span_channels=*/false);
    if (!pool) return pool.status();
    return ArgmaxNode{
        *pool, node.attr<DType>("T"), node.attr<DType>("Targmax"),
        node.attr<bool>("include_batch_in_index")};
  }
  ArgmaxPositions positions(const cpu::PoolPlan& plan) const {
    return {
        .is_long = index == DType::int64,
        .counts_images = counts_images,
        .pool = PoolGeometry::of(plan)};
  }
};

Status compute_argmax_pool(Launch& launch, const ArgmaxNode& node, LaunchArgmaxPool function) {
  const auto& x = launch.input(0);
  auto pool = node.pool.over(launch, x.shape());
  if (!pool) return pool.status();
  auto counted = node.counts_images ? x.elements() : pool->plan.in_image();
  auto status = cpu::check_argmax_dtype(x.shape(), counted, node.index);
  if (!status.ok()) return status;
  auto result = launch.allocate(node.dtype, pool->pooled);
  if (!result) return result.status();
  auto argmax = launch.allocate(node.index, pool->pooled);
  if (!argmax) return argmax.status();
  if (result->elements() > 0)
    function(
        {.result = result->mutable_raw(),
         .argmax = argmax->mutable_raw(),
         .x = x.raw(),
         .positions = node.positions(pool->plan),
         .stream = stream_of(launch)});
  launch.set(1, *std::move(argmax));
  return set_launched(launch, 0, *std::move(result), "a pool");
}

/// Input 1 lies as the output, and the result as the input; or, to the output, the other way round.
Status compute_argmax_gradient(
    Launch& launch, const ArgmaxNode& node, bool is_to_output,
    const std::function<void(const ArgmaxGradCall&)>& function) {
  const auto shape = launch.input(0).shape();
  auto pool = node.pool.over(launch, shape);
  if (!pool) return pool.status();
  auto status = cpu::check_pool_input(launch, 1, is_to_output ? shape : pool->pooled);
  if (status.ok()) status = cpu::check_pool_input(launch, 2, pool->pooled);
  if (!status.ok()) return status;
  auto result = launch.allocate(node.dtype, is_to_output ? pool->pooled : shape);
  if (!result) return result.status();
  auto flag = scratch(launch, sizeof(uint32_t));
  if (!flag) return flag.status();
  if (result->elements() > 0)
    function(
        {.result = result->mutable_raw(),
         .dy = launch.input(1).raw(),
         .argmax = launch.input(2).raw(),
         .has_strays = out<uint32_t>(*flag),
         .positions = node.positions(pool->plan),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a pool");
}

Result<Kernel> make_argmax_pool(const Node& node) {
  auto argmax = ArgmaxNode::of(node);
  if (!argmax) return argmax.status();
  auto function = find_argmax_pool(element_of(argmax->dtype));
  if (!function) return no_kernel(argmax->dtype);
  return Kernel{.compute = [function, argmax = *argmax](Launch& launch) {
    return compute_argmax_pool(launch, argmax, function);
  }};
}

Result<Kernel> make_argmax_grad(const Node& node) {
  auto argmax = ArgmaxNode::of(node);
  if (!argmax) return argmax.status();
  auto function = find_argmax_grad(element_of(argmax->dtype));
  if (!function) return no_kernel(argmax->dtype);
  return Kernel{.compute = [function, argmax = *argmax](Launch& launch) {
    return compute_argmax_gradient(launch, argmax, /*is_to_output=*/false, function);
  }};
}

Result<Kernel> make_argmax_grad_grad(const Node& node) {
  auto argmax = ArgmaxNode::of(node);
  if (!argmax) return argmax.status();
  auto size = static_cast<int>(size_of(argmax->dtype));
  auto function = [size](const ArgmaxGradCall& call) { launch_argmax_gather(call, size); };
  return Kernel{.compute = [function, argmax = *argmax](Launch& launch) {
    return compute_argmax_gradient(launch, argmax, /*is_to_output=*/true, function);
  }};
}

}  // namespace

void add_argmax_pooling_kernels(KernelCatalog& catalog) {
  catalog.add("MaxPoolWithArgmax", make_argmax_pool);
  catalog.add("MaxPoolGradWithArgmax", make_argmax_grad);
  catalog.add("MaxPoolGradGradWithArgmax", make_argmax_grad_grad);
}

}  // namespace troupe::cuda
