#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/kernel_support.hpp"
#include "troupe/devices/cuda/math/elementwise.hpp"

namespace troupe::cuda {
namespace {

/// Sets output 0 to the choices that a walk over flags and both operands makes.
Status set_selected(Launch& launch, const Shape& shape, const StridedWalk<3>& walk) {
  auto dtype = launch.input(1).dtype();
  SelectCall call{
      .out = nullptr,
      .flags = launch.input(0).raw(),
      .then = launch.input(1).raw(),
      .otherwise = launch.input(2).raw(),
      .size = static_cast<int>(size_of(dtype)),
      .walk = walk,
      .stream = stream_of(launch)};
  auto result = launch.reuse_or_allocate({1, 2}, dtype, shape);
  if (!result) return result.status();
  call.out = result->mutable_raw();
  if (result->elements() > 0) launch_select(call);
  return set_launched(launch, 0, *std::move(result), "a choice of elements");
}

Status compute_select(Launch& launch) {
  const auto condition = launch.input(0).shape(), shape = launch.input(1).shape();
  if (shape != launch.input(2).shape())
    return invalid_argument(
        "both choices must have one shape, but are " + shape.to_string() + " and " +
        launch.input(2).shape().to_string());
  auto is_flag_per_row = condition.rank() == 1 && shape.rank() > 0 && condition[0] == shape[0];
  if (condition != shape && !condition.is_scalar() && !is_flag_per_row)
    return invalid_argument(
        "the condition must be a scalar, a flag for each row, or of the choices' shape " +
        shape.to_string() + ", but is " + condition.to_string());
  StridedWalk<3> walk;
  auto elements = shape.elements();
  if (condition.is_scalar()) {
    walk.add_axis(elements, {{0, 1, 1}});
  } else {
    auto group = elements / std::max<int64_t>(1, condition.elements());
    walk.add_axis(group, {{0, 1, 1}});
    walk.add_axis(condition.elements(), {{1, group, group}});
  }
  return set_selected(launch, shape, walk);
}

Status compute_select_v2(Launch& launch) {
  const Shape shapes[] = {
      launch.input(0).shape(), launch.input(1).shape(), launch.input(2).shape()};
  auto choices = broadcast(shapes[1], shapes[2]);
  if (!choices) return choices.status();
  auto whole = broadcast(shapes[0], *choices);
  if (!whole) return whole.status();
  return set_selected(launch, *whole, broadcast_walk<3>(*whole, shapes));
}

KernelCatalog::Make selection(Status (*compute)(Launch&)) {
  return [compute](const Node& node) -> Result<Kernel> {
    auto dtype = node.attr<DType>("T");
    if (!is_plain(dtype)) return no_kernel(dtype);
    return Kernel{.compute = compute};
  };
}

}  // namespace

void add_select_kernels(KernelCatalog& catalog) {
  catalog.add("Select", selection(compute_select));
  catalog.add("SelectV2", selection(compute_select_v2));
}

}  // namespace troupe::cuda
