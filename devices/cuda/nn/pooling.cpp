#include "troupe/devices/cuda/nn/pooling.hpp"

#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/nn/pooling.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

/// Which inputs a pass has: the tensor that is pooled, or its shape, and the gradient.
struct PoolOp {
  cpu::PoolNode node;
  LaunchPool function;
  DType dtype;
  PoolPass pass;

  /// The input, or -1.
  int gradient() const {
    switch (pass) {
      case PoolPass::average_gradient: return 1;
      case PoolPass::max_gradient:
      case PoolPass::max_gradient_gradient: return 2;
      default: return -1;
    }
  }
  bool is_like_input() const {
    return pass == PoolPass::max_gradient || pass == PoolPass::average_gradient;
  }
  Result<Shape> input_shape(const Launch& launch) const {
    if (pass == PoolPass::average_gradient) return cpu::shape_input(launch.input(0));
    return launch.input(0).shape();
  }
};

Status compute_pool(Launch& launch, const PoolOp& op) {
  auto shape = op.input_shape(launch);
  if (!shape) return shape.status();
  auto pool = op.node.over(launch, *shape);
  if (!pool) return pool.status();
  auto gradient = op.gradient();
  for (int i = 1; i <= gradient; ++i) {
    auto is_image = i == 2 && op.pass == PoolPass::max_gradient_gradient;
    auto status = cpu::check_pool_input(launch, i, is_image ? *shape : pool->pooled);
    if (!status.ok()) return status;
  }
  auto result = launch.allocate(op.dtype, op.is_like_input() ? *shape : pool->pooled);
  if (!result) return result.status();
  if (result->elements() > 0)
    op.function(
        {.result = result->mutable_raw(),
         .x = launch.input(0).raw(),
         .dy = gradient >= 0 ? launch.input(gradient).raw() : nullptr,
         .pass = op.pass,
         .pool = PoolGeometry::of(pool->plan),
         .stream = stream_of(launch)});
  return set_launched(launch, 0, *std::move(result), "a pool");
}

/// `sizes`: the input that says the windows' sizes, strides being the next; or -1.
KernelCatalog::Make make_pool(PoolPass pass, bool may_span_channels, int sizes = -1) {
  return [=](const Node& node) -> Result<Kernel> {
    auto pool = cpu::PoolNode::of(node, sizes, may_span_channels);
    if (!pool) return pool.status();
    auto dtype = node.attr<DType>("T");
    if (node.op->find_attr("TInput") && node.attr<DType>("TInput") != dtype)
      return unimplemented("attributes 'T' and 'TInput' must be the same dtype");
    auto function = find_pool(element_of(dtype), pass);
    if (!function) return no_kernel(dtype);
    PoolOp op{*pool, function, dtype, pass};
    return Kernel{.compute = [op](Launch& launch) { return compute_pool(launch, op); }};
  };
}

}  // namespace

void add_pooling_kernels(KernelCatalog& catalog) {
  for (const std::string axes : {"", "3D"}) {
    auto is_flat = axes.empty();
    catalog.add("MaxPool" + axes, make_pool(PoolPass::max, is_flat));
    catalog.add("MaxPool" + axes + "Grad", make_pool(PoolPass::max_gradient, is_flat));
    catalog.add("MaxPool" + axes + "GradGrad", make_pool(PoolPass::max_gradient_gradient, is_flat));
    catalog.add("AvgPool" + axes, make_pool(PoolPass::average, false));
    catalog.add("AvgPool" + axes + "Grad", make_pool(PoolPass::average_gradient, false));
    catalog.on_host("AvgPool" + axes + "Grad", {0});
  }
  catalog.add("MaxPoolV2", make_pool(PoolPass::max, true, 1));
  catalog.on_host("MaxPoolV2", {1, 2});
  catalog.add("MaxPoolGradV2", make_pool(PoolPass::max_gradient, true, 3));
  catalog.on_host("MaxPoolGradV2", {3, 4});
  catalog.add("MaxPoolGradGradV2", make_pool(PoolPass::max_gradient_gradient, true, 3));
  catalog.on_host("MaxPoolGradGradV2", {3, 4});
}

}  // namespace troupe::cuda
