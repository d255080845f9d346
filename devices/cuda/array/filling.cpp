#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"

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

/// One entry for each axis, none negative.
Result<cpu::IntInput> read_multiples(const Tensor& tensor, const Shape& shape) {
  if (tensor.shape() != Shape{shape.rank()})
    return invalid_argument(
        "'multiples' must have an entry for each axis of " + shape.to_string() +
        ", but have shape " + tensor.shape().to_string());
  auto multiples = cpu::IntInput::of(tensor);
  if (!multiples) return multiples.status();
  for (auto multiple : multiples->values())
    if (multiple < 0 || multiple > Shape::max_elements)
      return invalid_argument(
          "'multiples' must lie in [0, 2^48], but one is " + std::to_string(multiple));
  return multiples;
}

Status compute_tile(Launch& launch) {
  const auto& in = launch.input(0);
  auto multiples = read_multiples(launch.input(1), in.shape());
  if (!multiples) return multiples.status();
  auto shape = in.shape();
  for (int axis = 0; axis < shape.rank(); ++axis) {
    int64_t size;
    if (__builtin_mul_overflow(shape[axis], (*multiples)[axis], &size))
      return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
    shape.set(axis, size);
  }
  if (auto checked = Shape::make(shape.sizes()); !checked) return checked.status();
  auto result = launch.allocate(in.dtype(), shape);
  if (!result) return result.status();
  StridedWalk<2> walk;
  AxisStrides to(shape), from(in.shape());
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    auto size = in.shape()[axis];
    walk.add_axis(size, {{to.at[axis], from.at[axis]}});
    walk.add_axis((*multiples)[axis], {{to.at[axis] * size, 0}});
  }
  copy_walk(launch, *result, 0, in, 0, walk);
  return set_launched(launch, 0, *std::move(result), "a copy");
}

}  // namespace

void add_filling_kernels(KernelCatalog& catalog) {
  catalog.add("Fill", copying(compute_fill));
  catalog.add("ZerosLike", copying(compute_zeros_like));
  catalog.add("OnesLike", copying(compute_ones_like));
  catalog.add("Empty", make_empty);
  catalog.add("BroadcastTo", copying(compute_broadcast_to));
  catalog.add("Tile", copying(compute_tile));
}

}  // namespace troupe::cuda
