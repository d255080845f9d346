#include <array>

#include "troupe/devices/cpu/array/space_layout.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cuda {
namespace {

using cpu::BlockLayout;
using Blocks = std::span<const int64_t>;

/// A walk of one tensor in the order of its elements, which is the first operand, or the second.
StridedWalk<2> walk_of(const cpu::CopyAxes& axes, bool is_first) {
  StridedWalk<2> walk;
  int64_t next = 1;
  for (auto [size, stride] : axes) {
    if (is_first) walk.add_axis(size, {{next, stride}});
    else walk.add_axis(size, {{stride, next}});
    next *= size;
  }
  return walk;
}

/// The part of a padded tensor that has the elements of the whole one: the walk, of which the
/// padded one is the first operand or the second, and where it begins in that.
struct Inside {
  StridedWalk<2> walk;
  int64_t first = 0;

  Inside(const BlockLayout& layout, const Shape& space, const Shape& padded, bool is_first) {
    AxisStrides outer(padded), inner(space);
    for (int axis = space.rank() - 1; axis >= 0; --axis) {
      if (is_first) walk.add_axis(space[axis], {{outer.at[axis], inner.at[axis]}});
      else walk.add_axis(space[axis], {{inner.at[axis], outer.at[axis]}});
      if (axis > 0 && axis <= layout.axes()) first += layout.before(axis - 1) * outer.at[axis];
    }
  }
};

Status to_batch(Launch& launch, Blocks blocks, const Tensor& entries) {
  auto paddings = cpu::Paddings::of(entries, static_cast<int>(blocks.size()));
  if (!paddings) return paddings.status();
  const auto space = launch.input(0).shape();
  auto layout = BlockLayout::from_space(space, blocks, *paddings);
  if (!layout) return layout.status();
  auto shape = layout->batch_shape(space), padded_shape = layout->padded_shape(space);
  if (!shape) return shape.status();
  if (!padded_shape) return padded_shape.status();
  auto result = launch.allocate(launch.input(0).dtype(), *shape);
  if (!result) return result.status();
  auto padded = launch.input(0);
  if (*padded_shape != space) {
    auto made = launch.allocate(padded.dtype(), *padded_shape);
    if (!made) return made.status();
    if (auto status = set_zeros(launch, *made); !status.ok()) return status;
    Inside inside(*layout, space, *padded_shape, /*is_first=*/true);
    copy_walk(launch, *made, inside.first, launch.input(0), 0, inside.walk);
    padded = *std::move(made);
  }
  auto axes = layout->axes_of_batch(layout->row_size(space));
  copy_walk(launch, *result, 0, padded, 0, walk_of(axes, /*is_first=*/true));
  return set_launched(launch, 0, *std::move(result), "a copy");
}

Status to_space(Launch& launch, Blocks blocks, const Tensor& entries) {
  auto crops = cpu::Paddings::of(entries, static_cast<int>(blocks.size()), "crops");
  if (!crops) return crops.status();
  const auto batch = launch.input(0).shape();
  auto layout = BlockLayout::from_batch(batch, blocks, *crops);
  if (!layout) return layout.status();
  auto shape = layout->space_shape(batch), whole_shape = layout->padded_shape(batch);
  if (!shape) return shape.status();
  if (!whole_shape) return whole_shape.status();
  auto whole = launch.allocate(launch.input(0).dtype(), *whole_shape);
  if (!whole) return whole.status();
  auto axes = layout->axes_of_batch(layout->row_size(batch));
  copy_walk(launch, *whole, 0, launch.input(0), 0, walk_of(axes, /*is_first=*/false));
  if (*whole_shape == *shape) return set_launched(launch, 0, *std::move(whole), "a copy");
  auto result = launch.allocate(whole->dtype(), *shape);
  if (!result) return result.status();
  Inside inside(*layout, *shape, *whole_shape, /*is_first=*/false);
  copy_walk(launch, *result, 0, *whole, inside.first, inside.walk);
  return set_launched(launch, 0, *std::move(result), "a copy");
}

/// Kernels of SpaceToBatch and BatchToSpace.
KernelCatalog::Make square_blocks(bool is_to_batch) {
  return [is_to_batch](const Node& node) {
    auto block = node.attr<int64_t>("block_size");
    auto compute = [is_to_batch, blocks = std::array{block, block}](Launch& launch) {
      if (launch.input(0).shape().rank() != 4)
        return invalid_argument(
            "the input must have rank 4, but has shape " + launch.input(0).shape().to_string());
      return is_to_batch ? to_batch(launch, blocks, launch.input(1))
                         : to_space(launch, blocks, launch.input(1));
    };
    return copying_kernel(node.attr<DType>("T"), compute);
  };
}

KernelCatalog::Make nd_blocks(bool is_to_batch) {
  return [is_to_batch](const Node& node) {
    auto compute = [is_to_batch](Launch& launch) {
      if (launch.input(1).shape().rank() != 1)
        return invalid_argument(
            "'block_shape' must have rank 1, but has shape " + launch.input(1).shape().to_string());
      auto blocks = cpu::IntInput::of(launch.input(1));
      if (!blocks) return blocks.status();
      return is_to_batch ? to_batch(launch, blocks->values(), launch.input(2))
                         : to_space(launch, blocks->values(), launch.input(2));
    };
    return copying_kernel(node.attr<DType>("T"), compute);
  };
}

KernelCatalog::Make depth_kernel(bool is_to_depth) {
  return [is_to_depth](const Node& node) {
    cpu::DepthLayout layout = {
        .block = node.attr<int64_t>("block_size"),
        .is_depth_first = node.attr<std::string>("data_format") == "NCHW",
        .is_to_depth = is_to_depth};
    auto compute = [layout](Launch& launch) -> Status {
      auto plan = layout.plan(launch.input(0).shape());
      if (!plan) return plan.status();
      auto result = launch.allocate(launch.input(0).dtype(), plan->shape);
      if (!result) return result.status();
      if (result->elements() > 0)
        copy_walk(launch, *result, 0, launch.input(0), 0, walk_of(plan->axes, /*is_first=*/true));
      return set_launched(launch, 0, *std::move(result), "a copy");
    };
    return copying_kernel(node.attr<DType>("T"), compute);
  };
}

}  // namespace

void add_space_kernels(KernelCatalog& catalog) {
  catalog.add("SpaceToBatch", square_blocks(true));
  catalog.add("BatchToSpace", square_blocks(false));
  catalog.add("SpaceToBatchND", nd_blocks(true));
  catalog.add("BatchToSpaceND", nd_blocks(false));
  catalog.add("SpaceToDepth", depth_kernel(true));
  catalog.add("DepthToSpace", depth_kernel(false));
}

}  // namespace troupe::cuda
