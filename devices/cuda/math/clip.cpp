#include "troupe/devices/cuda/math/clip.hpp"

#include "troupe/devices/cpu/data_flow/variants.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"
#include "troupe/devices/cuda/state/card_rows.hpp"

namespace troupe::cuda {
namespace {

Status compute_clip(Launch& launch, LaunchClip function) {
  const auto shape = launch.input(0).shape();
  for (int i : {1, 2}) {
    const auto& own = launch.input(i).shape();
    if (!own.is_scalar() && own != shape)
      return invalid_argument(
          "bound " + std::to_string(i) + " must be a scalar or of the shape " + shape.to_string() +
          ", but its shape is " + own.to_string());
  }
  ClipCall call{
      .out = nullptr,
      .x = launch.input(0).raw(),
      .low = launch.input(1).raw(),
      .high = launch.input(2).raw(),
      .low_step = launch.input(1).shape().is_scalar() ? 0 : 1,
      .high_step = launch.input(2).shape().is_scalar() ? 0 : 1,
      .count = launch.input(0).elements(),
      .stream = stream_of(launch)};
  auto result = launch.reuse_or_allocate({0}, launch.input(1).dtype(), shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (call.count > 0) function(call);
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Result<Kernel> make_clip(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_clip(element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{.compute = [function](Launch& launch) { return compute_clip(launch, function); }};
}

/// Of LeakyRelu, or with two inputs (gradients, features) of LeakyReluGrad.
Status compute_leaky_relu(Launch& launch, LaunchLeak function, double alpha) {
  const auto shape = launch.input(0).shape();
  const auto& features = launch.input(launch.input_count() - 1);
  if (features.shape() != shape)
    return invalid_argument(
        "both operands must have one shape, but are " + shape.to_string() + " and " +
        features.shape().to_string());
  LeakCall call{
      .out = nullptr,
      .x = launch.input(0).raw(),
      .sign_of = features.raw(),
      .alpha = alpha,
      .count = features.elements(),
      .stream = stream_of(launch)};
  auto result = launch.reuse_or_allocate({0}, features.dtype(), shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (call.count > 0) function(call);
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Result<Kernel> make_leaky_relu(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_leak(element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{.compute = [function, alpha = double(node.attr<float>("alpha"))](Launch& launch) {
    return compute_leaky_relu(launch, function, alpha);
  }};
}

/// Adds each input to the sum of those before it.
Status compute_add_n(Launch& launch, LaunchBinary sum) {
  const auto shape = launch.input(0).shape();
  const auto dtype = launch.input(0).dtype();
  for (int i = 1; i < launch.input_count(); ++i)
    if (launch.input(i).shape() != shape)
      return invalid_argument(
          "inputs must have one shape, but input 0 is " + shape.to_string() + " and input " +
          std::to_string(i) + " is " + launch.input(i).shape().to_string());
  if (launch.input_count() == 1) {
    launch.set(0, launch.take_input(0));
    return {};
  }
  BinaryCall call{
      .out = nullptr,
      .x = launch.input(0).raw(),
      .y = nullptr,
      .walk = {},
      .stream = stream_of(launch)};
  call.walk.add_axis(shape.elements(), {{1, 1}});
  auto result = launch.reuse_or_allocate({0}, dtype, shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  for (int i = 1; i < launch.input_count() && result->elements() > 0; ++i) {
    call.y = launch.input(i).raw();
    sum(call);
    call.x = call.out;
  }
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Result<Kernel> make_add_n(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (dtype == DType::variant)
    return Kernel{.compute = [](Launch& launch) { return cpu::sum_variants(launch, card_rows()); }};
  auto sum = find_sum(element_of(dtype));
  if (!sum) return no_kernel(dtype);
  return Kernel{.compute = [sum](Launch& launch) { return compute_add_n(launch, sum); }};
}

Result<Kernel> make_accumulate(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto sum = find_sum(element_of(dtype));
  if (!sum) return no_kernel(dtype);
  return Kernel{.compute = [sum, shape = node.attr<Shape>("shape")](Launch& launch) {
    const auto& given = launch.input(0).shape();
    if (given.is_compatible_with(shape)) return compute_add_n(launch, sum);
    return invalid_argument(
        "inputs must have the shape " + shape.to_string() + ", but input 0 is " +
        given.to_string());
  }};
}

}  // namespace

void add_clip_kernels(KernelCatalog& catalog) {
  catalog.add("ClipByValue", make_clip);
  catalog.add("LeakyRelu", make_leaky_relu);
  catalog.add("LeakyReluGrad", make_leaky_relu);
  catalog.add("AddN", make_add_n);
  catalog.add("AccumulateNV2", make_accumulate);
}

}  // namespace troupe::cuda
