#include "troupe/devices/cpu/array/array.hpp"

#include <array>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/graph/ops/array/array.hpp"

namespace troupe::cpu {
namespace {

Status identity(Launch& launch) {
  launch.set(0, launch.take_input(0));
  return {};
}

/// Sets output 0 to input 0 under another shape.
Status set_reshaped(Launch& launch, const Result<Shape>& shape) {
  if (!shape) return shape.status();
  launch.set(0, launch.take_input(0).reshaped(*shape));
  return {};
}

/// The sizes asked for, of which one may be -1: whatever is left of the elements.
Result<Shape> reshape_target(const Shape& from, const IntInput& sizes) {
  auto target = Shape::of_rank(sizes.count());
  auto refuse = [&](const char* why) {
    return invalid_argument(
        "cannot reshape " + from.to_string() + " to " + target.to_string() + ": " + why);
  };
  int open = -1;
  int64_t known = 1;
  for (int axis = 0; axis < sizes.count(); ++axis) {
    if (sizes[axis] == Shape::unknown) {
      if (open >= 0) return refuse("only one size can be left open");
      open = axis;
      continue;
    }
    if (sizes[axis] < 0) return refuse("a size is negative");
    target.set(axis, sizes[axis]);
    if (__builtin_mul_overflow(known, sizes[axis], &known)) return refuse("it is too large");
  }
  if (open < 0 && known != from.elements()) return refuse("the number of elements differs");
  if (open < 0) return target;
  target.set(open, Shape::unknown);
  auto size = ops::open_size(from, target);
  if (!size) return refuse("the open size would not be a whole number");
  target.set(open, *size);
  return target;
}

Status reshape(Launch& launch) {
  const auto& given = launch.input(1);
  if (given.shape().rank() != 1)
    return invalid_argument(
        "the sizes must be a vector, not a tensor of shape " + given.shape().to_string());
  auto sizes = IntInput::of(given);
  if (!sizes) return sizes.status();
  return set_reshaped(launch, reshape_target(launch.input(0).shape(), *sizes));
}

Status expand_dims(Launch& launch) {
  const auto& shape = launch.input(0).shape();
  auto given_axis = IntInput::of(launch.input(1));
  if (!given_axis) return given_axis.status();
  if (given_axis->count() != 1) return invalid_argument("exactly one axis must be given");
  auto axis = find_axis((*given_axis)[0], shape.rank() + 1);
  if (!axis) return axis.status();
  std::vector<int64_t> sizes(shape.sizes().begin(), shape.sizes().end());
  sizes.insert(sizes.begin() + *axis, 1);
  return set_reshaped(launch, Shape::make(sizes));
}

Status squeeze(Launch& launch, const std::vector<int64_t>& axes) {
  const auto& shape = launch.input(0).shape();
  std::array<bool, Shape::max_rank> drop{};
  for (auto given_axis : axes) {
    auto axis = find_axis(given_axis, shape.rank());
    if (!axis) return axis.status();
    if (shape[*axis] != 1)
      return invalid_argument(
          "axis " + std::to_string(*axis) + " of " + shape.to_string() +
          " cannot be squeezed: its size is not 1");
    drop[*axis] = true;
  }
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (axes.empty() ? shape[axis] != 1 : !drop[axis]) sizes.push_back(shape[axis]);
  return set_reshaped(launch, Shape(sizes));
}

Result<Kernel> make_squeeze(const Node& node) {
  return Kernel{
      .compute = [axes = node.attr<std::vector<int64_t>>("squeeze_dims")](Launch& launch) {
        return squeeze(launch, axes);
      }};
}

Result<Kernel> make_shape(const Node& node) {
  return Kernel{.compute = [dtype = node.output_dtypes[0]](Launch& launch) {
    return set_ints(launch, 0, dtype, launch.input(0).shape().sizes());
  }};
}

Status rank(Launch& launch) {
  return set_int(launch, 0, DType::int32, launch.input(0).shape().rank());
}

Result<Kernel> make_size(const Node& node) {
  return Kernel{.compute = [dtype = node.output_dtypes[0]](Launch& launch) {
    return set_int(launch, 0, dtype, launch.input(0).elements());
  }};
}

/// The axes of a broadcast result over which the gradients of both operands are summed. Where both
/// have size 1 an axis belongs to both, as in TensorFlow; equal shapes have none.
Status broadcast_gradient_args(Launch& launch) {
  auto x = shape_input(launch.input(0)), y = shape_input(launch.input(1));
  for (const auto* shape : {&x, &y})
    if (!*shape) return shape->status();
  auto whole = broadcast(*x, *y);
  if (!whole) return whole.status();
  std::array<std::vector<int64_t>, 2> axes;
  for (int axis = 0; axis < whole->rank() && *x != *y; ++axis) {
    auto size_of = [&](const Shape& shape) {
      auto own = axis - (whole->rank() - shape.rank());
      return own < 0 ? 1 : shape[own];
    };
    if (size_of(*x) == 1) axes[0].push_back(axis);
    if (size_of(*y) == 1) axes[1].push_back(axis);
  }
  for (int i = 0; i < 2; ++i) {
    auto status = set_ints(launch, i, launch.input(i).dtype(), axes[i]);
    if (!status.ok()) return status;
  }
  return {};
}

}  // namespace

void add_array_kernels(KernelCatalog& catalog) {
  catalog.add_compute("Identity", identity);
  catalog.add_compute("StopGradient", identity);
  catalog.add_compute("GuaranteeConst", identity);
  catalog.add_compute("Reshape", reshape);
  catalog.add_compute("ExpandDims", expand_dims);
  catalog.add("Squeeze", make_squeeze);
  catalog.add("Shape", make_shape);
  catalog.add_compute("Rank", rank);
  catalog.add("Size", make_size);
  catalog.add_compute("BroadcastGradientArgs", broadcast_gradient_args);
  add_fill_kernels(catalog);
  add_memory_kernels(catalog);
  add_layout_kernels(catalog);
  add_transpose_kernels(catalog);
}

}  // namespace troupe::cpu
