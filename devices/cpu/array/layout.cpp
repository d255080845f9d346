#include <utility>

#include "troupe/devices/cpu/array/array.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

Status check_permutation(const IntInput& permutation, int rank) {
  if (permutation.count() != rank)
    return invalid_argument(
        "a permutation of " + std::to_string(rank) + " axes is needed, not one of " +
        std::to_string(permutation.count()));
  std::array<bool, Shape::max_rank> seen{};
  for (auto given_axis : permutation.values()) {
    auto axis = find_axis(given_axis, rank);
    if (!axis) return axis.status();
    if (std::exchange(seen[*axis], true))
      return invalid_argument("axis " + std::to_string(*axis) + " is twice in the permutation");
  }
  return {};
}

template <class C>
Status compute_transpose(Launch& launch) {
  const auto shape = launch.input(0).shape();
  auto permutation = IntInput::of(launch.input(1));
  if (!permutation) return permutation.status();
  auto status = check_permutation(*permutation, shape.rank());
  if (!status.ok()) return status;
  auto strides = strides_of(shape);
  auto out_shape = shape;
  LoopNest<1> nest;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto from = *find_axis((*permutation)[axis], shape.rank());
    out_shape.set(axis, shape[from]);
    nest.add_axis(shape[from], {strides[from]});
  }
  return set_copy<C>(launch, out_shape, nest);
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

void add_layout_kernels(KernelCatalog& catalog) {
  catalog.add("Transpose", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_transpose<decltype(cell)>};
    });
  });
  catalog.add("BroadcastTo", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_broadcast_to<decltype(cell)>};
    });
  });
}

}  // namespace troupe::cpu
