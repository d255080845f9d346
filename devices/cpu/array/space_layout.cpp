#include "troupe/devices/cpu/array/space_layout.hpp"

#include <string>
#include <utility>

#include "troupe/devices/cpu/array/strided_copy.hpp"

namespace troupe::cpu {
namespace {

Status too_many_elements() {
  return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
}

}  // namespace

Result<BlockLayout> BlockLayout::from_space(
    const Shape& space, std::span<const int64_t> blocks, const Paddings& paddings) {
  auto layout = make(space, blocks, paddings);
  if (!layout) return layout;
  layout->batches_ = space[0];
  for (int i = 0; i < layout->axes_; ++i) {
    auto size = space[i + 1], padded = paddings.before(i) + size + paddings.after(i);
    if (padded % layout->blocks_[i] != 0)
      return invalid_argument(
          "an axis of size " + std::to_string(padded) + " with its paddings cannot be cut into " +
          "blocks of size " + std::to_string(layout->blocks_[i]));
    layout->space_[i] = size;
    layout->counts_[i] = padded / layout->blocks_[i];
  }
  return layout;
}

Result<BlockLayout> BlockLayout::from_batch(
    const Shape& batch, std::span<const int64_t> blocks, const Paddings& crops) {
  auto layout = make(batch, blocks, crops);
  if (!layout) return layout;
  if (batch[0] % layout->positions_ != 0)
    return invalid_argument(
        "a batch of " + std::to_string(batch[0]) + " cannot be blocks of " +
        std::to_string(layout->positions_));
  layout->batches_ = batch[0] / layout->positions_;
  for (int i = 0; i < layout->axes_; ++i) {
    int64_t whole;
    if (__builtin_mul_overflow(batch[i + 1], layout->blocks_[i], &whole) ||
        whole > Shape::max_elements)
      return too_many_elements();
    layout->counts_[i] = batch[i + 1];
    layout->space_[i] = whole - crops.before(i) - crops.after(i);
    if (layout->space_[i] < 0)
      return invalid_argument(
          "an axis of size " + std::to_string(whole) + " cannot be cropped by " +
          std::to_string(crops.before(i)) + " and " + std::to_string(crops.after(i)));
  }
  return layout;
}

Result<Shape> BlockLayout::batch_shape(const Shape& space) const {
  int64_t batch;
  if (__builtin_mul_overflow(batches_, positions_, &batch)) return too_many_elements();
  return with_sizes(space, batch, counts_);
}

Result<Shape> BlockLayout::space_shape(const Shape& batch) const {
  return with_sizes(batch, batches_, space_);
}

Result<Shape> BlockLayout::padded_shape(const Shape& space) const {
  Sizes sizes{};
  for (int i = 0; i < axes_; ++i) sizes[i] = counts_[i] * blocks_[i];
  return with_sizes(space, batches_, sizes);
}

BlockLayout::Line BlockLayout::line(int64_t index) const {
  const auto along = last();
  Sizes at{};
  for (int i = along - 1; i >= 0; --i) {
    at[i] = index % counts_[i];
    index /= counts_[i];
  }
  auto row = index % batches_, position = index / batches_;
  for (int i = along; i >= 0; --i) {
    at[i] = at[i] * blocks_[i] + position % blocks_[i] - before_[i];
    position /= blocks_[i];
  }
  for (int i = 0; i < along; ++i) {
    if (at[i] < 0 || at[i] >= space_[i]) return {};
    row = row * space_[i] + at[i];
  }
  const auto start = at[along], step = blocks_[along];
  auto rows_before = [&](int64_t end) {  // from the start on
    return std::clamp<int64_t>((end - start + step - 1) / step, 0, counts_[along]);
  };
  return {
      .first = row * space_[along] + start,
      .step = step,
      .begin = start < 0 ? rows_before(0) : 0,
      .end = start < space_[along] ? rows_before(space_[along]) : 0};
}

CopyAxes BlockLayout::axes_of_batch(int64_t row_size) const {
  CopyAxes axes = {{row_size, 1}};
  Sizes strides{};
  auto stride = row_size;
  for (int i = axes_ - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= counts_[i] * blocks_[i];
    axes.push_back({counts_[i], blocks_[i] * strides[i]});
  }
  axes.push_back({batches_, stride});
  for (int i = axes_ - 1; i >= 0; --i) axes.push_back({blocks_[i], strides[i]});
  return axes;
}

Result<BlockLayout> BlockLayout::make(
    const Shape& shape, std::span<const int64_t> blocks, const Paddings& paddings) {
  BlockLayout layout;
  layout.axes_ = static_cast<int>(blocks.size());
  if (shape.rank() <= layout.axes_)
    return invalid_argument(
        "the tensor must have more than the " + std::to_string(blocks.size()) +
        " axes of blocks, but has shape " + shape.to_string());
  for (int i = 0; i < layout.axes_; ++i) {
    auto block = blocks[static_cast<size_t>(i)];
    if (block < 1)
      return invalid_argument(
          "block sizes must be at least 1, but one is " + std::to_string(block));
    if (__builtin_mul_overflow(layout.positions_, block, &layout.positions_) ||
        layout.positions_ > Shape::max_elements)
      return too_many_elements();
    layout.blocks_[i] = block;
    layout.before_[i] = paddings.before(i);
  }
  return layout;
}

Result<Shape> BlockLayout::with_sizes(Shape shape, int64_t first, const Sizes& sizes) const {
  shape.set(0, first);
  for (int i = 0; i < axes_; ++i) shape.set(i + 1, sizes[i]);
  return Shape::make(shape.sizes());
}

Result<DepthLayout::Plan> DepthLayout::plan(const Shape& in) const {
  if (in.rank() != 4)
    return invalid_argument("the input must have rank 4, but has shape " + in.to_string());
  auto y = is_depth_first ? 2 : 1, x = y + 1, z = is_depth_first ? 1 : 3;
  auto out = in;
  for (int axis : {y, x, z}) {
    int64_t factor = block;
    if (axis == z && __builtin_mul_overflow(block, block, &factor)) return too_many_elements();
    int64_t size = 0;
    if ((axis == z) == is_to_depth) {
      if (__builtin_mul_overflow(in[axis], factor, &size)) return too_many_elements();
    } else if (in[axis] % factor == 0) {
      size = in[axis] / factor;
    } else {
      return invalid_argument(
          "axis " + std::to_string(axis) + " of " + in.to_string() + " must be a multiple of " +
          std::to_string(factor));
    }
    out.set(axis, size);
  }
  auto shape = Shape::make(out.sizes());
  if (!shape) return shape.status();
  if (shape->elements() == 0) return Plan{.shape = *shape};
  auto strides = strides_of(in);
  CopyAxes axes;
  // Where the input has the squares, each axis of space is read in steps of `block`; where it has
  // them in its depth, the parts of the depth are read between the steps.
  auto depth = is_to_depth ? in[z] : out[z];
  auto add_space = [&](int axis, int64_t between) {
    if (!is_to_depth) axes.push_back({block, between});
    auto size = is_to_depth ? out[axis] : in[axis];
    axes.push_back({size, is_to_depth ? block * strides[axis] : strides[axis]});
  };
  auto add_depth = [&] {
    axes.push_back({depth, strides[z]});
    if (!is_to_depth) return;
    axes.push_back({block, strides[x]});
    axes.push_back({block, strides[y]});
  };
  if (!is_depth_first) add_depth();
  add_space(x, depth * strides[z]);
  add_space(y, block * depth * strides[z]);
  if (is_depth_first) add_depth();
  axes.push_back({in[0], strides[0]});
  return Plan{.shape = *shape, .axes = std::move(axes)};
}

}  // namespace troupe::cpu
