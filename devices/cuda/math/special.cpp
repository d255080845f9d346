#include "troupe/devices/cuda/math/special.hpp"

#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"

namespace troupe::cuda {
namespace {

/// The shape of those that are not scalars.
Result<Shape> betainc_shape(const Launch& launch) {
  Shape shape;
  for (int i : {0, 1, 2}) {
    const auto& own = launch.input(i).shape();
    if (shape.is_scalar()) shape = own;
    else if (!own.is_scalar() && own != shape)
      return invalid_argument(
          "operands must be scalars or have one shape, but are " + shape.to_string() + " and " +
          own.to_string());
  }
  return shape;
}

Status compute_betainc(Launch& launch, LaunchBetainc function) {
  auto shape = betainc_shape(launch);
  if (!shape) return shape.status();
  auto step = [&](int i) { return launch.input(i).shape().is_scalar() ? 0 : 1; };
  auto result = launch.allocate(launch.input(0).dtype(), *shape);
  if (!result) return result.status();
  BetaincCall call{
      .out = result->mutable_raw(),
      .a = launch.input(0).raw(),
      .b = launch.input(1).raw(),
      .x = launch.input(2).raw(),
      .a_step = step(0),
      .b_step = step(1),
      .x_step = step(2),
      .count = result->elements(),
      .stream = stream_of(launch)};
  if (call.count > 0) function(call);
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Result<Kernel> make_betainc(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_betainc(element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{
      .compute = [function](Launch& launch) { return compute_betainc(launch, function); }};
}

Status compute_near(Launch& launch, LaunchNear function, float tolerance) {
  const auto &x = launch.input(0), &y = launch.input(1);
  if (x.shape() != y.shape())
    return invalid_argument(
        "both operands must have one shape, but are " + x.shape().to_string() + " and " +
        y.shape().to_string());
  auto result = launch.allocate(DType::boolean, x.shape());
  if (!result) return result.status();
  NearCall call{
      .out = static_cast<bool*>(result->mutable_raw()),
      .x = x.raw(),
      .y = y.raw(),
      .tolerance = tolerance,
      .count = result->elements(),
      .stream = stream_of(launch)};
  if (call.count > 0) function(call);
  return set_launched(launch, 0, *std::move(result), "an element-wise kernel");
}

Result<Kernel> make_approximate_equal(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto function = find_near(element_of(dtype));
  if (!function) return no_kernel(dtype);
  return Kernel{.compute = [function, tolerance = node.attr<float>("tolerance")](Launch& launch) {
    return compute_near(launch, function, tolerance);
  }};
}

}  // namespace

void add_special_kernels(KernelCatalog& catalog) {
  catalog.add("Betainc", make_betainc);
  catalog.add("ApproximateEqual", make_approximate_equal);
}

}  // namespace troupe::cuda
