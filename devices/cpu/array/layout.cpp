#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

template <class C>
Status compute_reverse(Launch& launch) {
  const auto shape = launch.input(0).shape();
  if (auto status = check_reversed_dims(launch); !status.ok()) return status;
  auto strides = strides_of(shape);
  LoopNest<1> nest;
  int64_t first = 0;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto reversed = launch.input(1).data<bool>()[axis];
    nest.add_axis(shape[axis], {reversed ? -strides[axis] : strides[axis]});
    if (reversed) first += (shape[axis] - 1) * strides[axis];
  }
  return set_copy<C>(launch, shape, nest, first);
}

template <class C>
Status compute_broadcast_to(Launch& launch) {
  auto shape = shape_input(launch.input(1));
  if (!shape) return shape.status();
  const auto& from = launch.input(0).shape();
  auto joint = broadcast(from, *shape);
  if (!joint || *joint != *shape)
    return invalid_argument(from.to_string() + " cannot be broadcast to " + shape->to_string());
  return set_copy<C>(launch, *shape, broadcast_nest(from, *shape));
}

}  // namespace

Status check_reversed_dims(const Launch& launch) {
  const auto &shape = launch.input(0).shape(), &dims = launch.input(1).shape();
  if (dims == Shape{shape.rank()}) return {};
  return invalid_argument(
      "dims must have an element for each axis of " + shape.to_string() + ", but has the shape " +
      dims.to_string());
}

void add_layout_kernels(KernelCatalog& catalog) {
  catalog.add("Reverse", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_reverse<decltype(cell)>};
    });
  });
  catalog.add("BroadcastTo", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_broadcast_to<decltype(cell)>};
    });
  });
}

}  // namespace troupe::cpu
