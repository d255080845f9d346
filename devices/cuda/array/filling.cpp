#include "troupe/devices/cpu/array/tiling.hpp"
#include "troupe/devices/cpu/data_flow/variants.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/reduction/reduction.hpp"
#include "troupe/devices/cuda/state/card_rows.hpp"

namespace troupe::cuda {
namespace {

/// Sets output 0, of that shape, to copies of the first element of an input.
Status set_filled(Launch& launch, const Shape& shape, int input) {
  const auto& value = launch.input(input);
  auto result = launch.allocate(value.dtype(), shape);
  if (!result) return result.status();
  StridedWalk<2> walk;
  walk.add_axis(shape.elements(), {{1, 0}});
  copy_walk(launch, *result, 0, value, 0, walk);
  return set_launched(launch, 0, *std::move(result), "a fill");
}

Status compute_fill(Launch& launch) {
  if (!launch.input(1).shape().is_scalar())
    return invalid_argument(
        "the value must be a scalar, but is " + launch.input(1).shape().to_string());
  auto shape = cpu::shape_input(launch.input(0));
  if (!shape) return shape.status();
  return set_filled(launch, *shape, 1);
}

Status compute_zeros_like(Launch& launch) {
  const auto dtype = launch.input(0).dtype();
  auto result = launch.reuse_or_allocate({0}, dtype, Shape(launch.input(0).shape()));
  if (!result) return result.status();
  auto status = set_zeros(launch, *result);
  if (status.ok()) launch.set(0, *std::move(result));
  return status;
}

Result<Kernel> make_zeros_like(const Node& node) {
  auto dtype = node.attr<DType>("T");
  if (dtype != DType::variant) return copying_kernel(dtype, compute_zeros_like);
  return Kernel{.compute = [](Launch& launch) { return cpu::zero_variants(launch, card_rows()); }};
}

/// The bits of the number 1, of complex ones those of the real part.
uint64_t one_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
    case DType::complex64: return 0x3f800000;
    case DType::float64:
    case DType::complex128: return 0x3ff0000000000000;
    case DType::float16: return 0x3c00;
    case DType::bfloat16: return 0x3f80;
    default: return 1;
  }
}

Status compute_ones_like(Launch& launch) {
  const auto dtype = launch.input(0).dtype();
  auto result = launch.reuse_or_allocate({0}, dtype, Shape(launch.input(0).shape()));
  if (!result) return result.status();
  if (result->elements() > 0)
    launch_fill(
        result->mutable_raw(), one_of(dtype), static_cast<int>(size_of(dtype)), result->elements(),
        stream_of(launch));
  return set_launched(launch, 0, *std::move(result), "a fill");
}

Result<Kernel> make_empty(const Node& node) {
  auto dtype = node.attr<DType>("dtype");
  return copying_kernel(dtype, [dtype](Launch& launch) -> Status {
    auto shape = cpu::shape_input(launch.input(0));
    if (!shape) return shape.status();
    auto result = launch.allocate(dtype, *shape);
    if (!result) return result.status();
    auto status = set_zeros(launch, *result);
    if (status.ok()) launch.set(0, *std::move(result));
    return status;
  });
}

Status compute_broadcast_to(Launch& launch) {
  const auto& in = launch.input(0);
  auto shape = cpu::shape_input(launch.input(1));
  if (!shape) return shape.status();
  auto whole = broadcast(in.shape(), *shape);
  if (!whole || *whole != *shape)
    return invalid_argument(
        "a tensor of shape " + in.shape().to_string() + " cannot be broadcast to " +
        shape->to_string());
  const Shape shapes[] = {*shape, in.shape()};
  auto result = launch.allocate(in.dtype(), *shape);
  if (!result) return result.status();
  copy_walk(launch, *result, 0, in, 0, broadcast_walk<2>(*shape, shapes));
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Status compute_tile(Launch& launch) {
  const auto& in = launch.input(0);
  auto multiples = cpu::read_multiples(launch.input(1), in.shape(), 0);
  if (!multiples) return multiples.status();
  auto shape = cpu::tiled_shape(in.shape(), *multiples);
  if (!shape) return shape.status();
  auto result = launch.allocate(in.dtype(), *shape);
  if (!result) return result.status();
  StridedWalk<2> walk;
  AxisStrides to(*shape), from(in.shape());
  for (int axis = shape->rank() - 1; axis >= 0; --axis) {
    auto size = in.shape()[axis];
    walk.add_axis(size, {{to.at[axis], from.at[axis]}});
    walk.add_axis((*multiples)[axis], {{to.at[axis] * size, 0}});
  }
  copy_walk(launch, *result, 0, in, 0, walk);
  return set_launched(launch, 0, *std::move(result), "a copy");
}

/// Folds the copies: each axis as [copies, elements of the tile].
Status compute_tile_grad(Launch& launch, LaunchFold sum) {
  const auto& in = launch.input(0);
  auto multiples = cpu::read_multiples(launch.input(1), in.shape(), 1);
  if (!multiples) return multiples.status();
  auto shape = cpu::shape_of_tile(in.shape(), *multiples);
  if (!shape) return shape.status();
  if (*shape == in.shape()) {
    launch.set(0, launch.take_input(0));
    return {};
  }
  int64_t sizes[2 * Shape::max_rank];
  bool is_folded[2 * Shape::max_rank];
  for (int axis = 0; axis < shape->rank(); ++axis) {
    sizes[2 * axis] = (*multiples)[axis];
    sizes[2 * axis + 1] = (*shape)[axis];
    is_folded[2 * axis] = true;
    is_folded[2 * axis + 1] = false;
  }
  auto result =
      fold_as(launch, sum, in, FoldGeometry::of(2 * shape->rank(), sizes, is_folded), *shape);
  if (!result) return result.status();
  launch.set(0, *std::move(result));
  return {};
}

Result<Kernel> make_tile_grad(const Node& node) {
  auto sum = find_fold("Sum", element_of(node.attr<DType>("T")));
  if (!sum) return no_kernel(node.attr<DType>("T"));
  return Kernel{.compute = [sum](Launch& launch) { return compute_tile_grad(launch, sum); }};
}

}  // namespace

void add_filling_kernels(KernelCatalog& catalog) {
  catalog.add("Fill", copying(compute_fill));
  catalog.add("ZerosLike", make_zeros_like);
  catalog.add("OnesLike", copying(compute_ones_like));
  catalog.add("Empty", make_empty);
  catalog.add("BroadcastTo", copying(compute_broadcast_to));
  catalog.add("Tile", copying(compute_tile));
  catalog.add("TileGrad", make_tile_grad);
}

}  // namespace troupe::cuda
