#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"
#include "troupe/devices/cuda/reduction/reduction.hpp"

namespace troupe::cuda {
namespace {

/// The axis that the biases belong to: the last, or in NCHW the second.
Result<int> channel_axis(const Shape& shape, bool is_nchw) {
  auto rank_min = is_nchw ? 3 : 2;
  if (shape.rank() >= rank_min) return is_nchw ? 1 : shape.rank() - 1;
  return invalid_argument(
      "a tensor of rank " + std::to_string(rank_min) + " or more is needed, not one of shape " +
      shape.to_string());
}

bool is_nchw(const Node& node) { return node.attr<std::string>("data_format") == "NCHW"; }

Status compute_bias_add(Launch& launch, LaunchBinary sum, bool is_nchw) {
  const auto shape = launch.input(0).shape();
  const auto& biases = launch.input(1);
  auto axis = channel_axis(shape, is_nchw);
  if (!axis) return axis.status();
  if (biases.shape() != Shape{shape[*axis]})
    return invalid_argument(
        "the bias must have the shape [" + std::to_string(shape[*axis]) + "], the channels of " +
        shape.to_string() + ", but has " + biases.shape().to_string());
  int64_t inner = 1;
  for (int i = *axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  BinaryCall call{
      .out = nullptr,
      .x = launch.input(0).raw(),
      .y = biases.raw(),
      .walk = {},
      .stream = stream_of(launch)};
  auto result = launch.reuse_or_allocate({0}, biases.dtype(), shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (result->elements() > 0) {
    auto row = shape[*axis] * inner;
    call.walk.add_axis(inner, {{1, 0}});
    call.walk.add_axis(shape[*axis], {{inner, 1}});
    call.walk.add_axis(result->elements() / row, {{row, 0}});
    sum(call);
  }
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Result<Kernel> make_bias_add(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto sum = find_sum(element_of(dtype));
  if (!sum) return no_kernel(dtype);
  return Kernel{.compute = [sum, is_nchw = is_nchw(node)](Launch& launch) {
    return compute_bias_add(launch, sum, is_nchw);
  }};
}

Status compute_bias_add_grad(Launch& launch, LaunchFold sum, bool is_nchw) {
  const auto& in = launch.input(0);
  auto axis = channel_axis(in.shape(), is_nchw);
  if (!axis) return axis.status();
  auto kept = in.shape();
  for (int i = 0; i < kept.rank(); ++i)
    if (i != *axis) kept.set(i, 1);
  auto result = fold(launch, sum, in, kept, {in.shape()[*axis]});
  if (!result) return result.status();
  launch.set(0, *std::move(result));
  return {};
}

Result<Kernel> make_bias_add_grad(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto sum = find_fold("Sum", element_of(dtype));
  if (!sum) return no_kernel(dtype);
  return Kernel{.compute = [sum, is_nchw = is_nchw(node)](Launch& launch) {
    return compute_bias_add_grad(launch, sum, is_nchw);
  }};
}

}  // namespace

void add_bias_kernels(KernelCatalog& catalog) {
  catalog.add("BiasAdd", make_bias_add);
  catalog.add("BiasAddGrad", make_bias_add_grad);
}

}  // namespace troupe::cuda
