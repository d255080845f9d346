#include "troupe/devices/cpu/array/space.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/padding.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/int_input.hpp"

namespace troupe::cpu {
namespace {

using Sizes = std::array<int64_t, Shape::max_rank>;

Status too_many_elements() {
  return invalid_argument("a tensor of so many elements cannot be: more than 2^48");
}

/// A tensor whose axes after the first are cut into blocks ("space"), and the one where the first
/// axis has an entry for each position in a block and each entry before ("batch").
class BlockLayout {
 public:
  static Result<BlockLayout> from_space(
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

  static Result<BlockLayout> from_batch(
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

  /// The shapes of both, for one of them: only the first axes differ.
  Result<Shape> batch_shape(const Shape& space) const {
    int64_t batch;
    if (__builtin_mul_overflow(batches_, positions_, &batch)) return too_many_elements();
    return with_sizes(space, batch, counts_);
  }
  Result<Shape> space_shape(const Shape& batch) const {
    return with_sizes(batch, batches_, space_);
  }

  /// The row of the other tensor that is that of the batch; -1 where it is padding. Rows are the
  /// axes that have no blocks.
  int64_t space_row(int64_t row) const {
    Sizes at{};
    for (int i = axes_ - 1; i >= 0; --i) {
      at[i] = row % counts_[i];
      row /= counts_[i];
    }
    auto position = row / batches_;
    for (int i = axes_ - 1; i >= 0; --i) {
      at[i] = at[i] * blocks_[i] + position % blocks_[i] - before_[i];
      position /= blocks_[i];
    }
    auto result = row % batches_;
    for (int i = 0; i < axes_; ++i) {
      if (at[i] < 0 || at[i] >= space_[i]) return -1;
      result = result * space_[i] + at[i];
    }
    return result;
  }
  int64_t batch_row(int64_t row) const {
    Sizes at{};
    for (int i = axes_ - 1; i >= 0; --i) {
      at[i] = row % space_[i] + before_[i];
      row /= space_[i];
    }
    int64_t position = 0;
    for (int i = 0; i < axes_; ++i) position = position * blocks_[i] + at[i] % blocks_[i];
    auto result = position * batches_ + row;
    for (int i = 0; i < axes_; ++i) result = result * counts_[i] + at[i] / blocks_[i];
    return result;
  }

  int64_t row_size(const Shape& shape) const {
    int64_t size = 1;
    for (int axis = axes_ + 1; axis < shape.rank(); ++axis) size *= shape[axis];
    return size;
  }

 private:
  static Result<BlockLayout> make(
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

  Result<Shape> with_sizes(Shape shape, int64_t first, const Sizes& sizes) const {
    shape.set(0, first);
    for (int i = 0; i < axes_; ++i) shape.set(i + 1, sizes[i]);
    return Shape::make(shape.sizes());
  }

  int axes_ = 0;
  int64_t batches_ = 0, positions_ = 1;
  Sizes blocks_{}, before_{}, space_{}, counts_{};
};

/// Sets output 0 to rows of input 0, those of its result that `source` gives, or else zeros.
template <class C, class F>
Status set_rows(Launch& launch, const Result<Shape>& shape, int64_t row_size, const F& source) {
  if (!shape) return shape.status();
  auto out = launch.allocate(launch.input(0).dtype(), *shape);
  if (!out) return out.status();
  const auto* from = cells<C>(launch.input(0));
  auto* to = mutable_cells<C>(*out);
  auto rows = out->elements() == 0 ? 0 : out->elements() / row_size;
  parallel_ranges(rows, row_size, [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row) {
      auto chosen = source(row);
      if (chosen < 0) std::fill_n(to + row * row_size, row_size, C{});
      else std::copy_n(from + chosen * row_size, row_size, to + row * row_size);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class C>
Status to_batch(Launch& launch, std::span<const int64_t> blocks, const Tensor& entries) {
  auto paddings = Paddings::of(entries, static_cast<int>(blocks.size()));
  if (!paddings) return paddings.status();
  const auto shape = launch.input(0).shape();
  auto layout = BlockLayout::from_space(shape, blocks, *paddings);
  if (!layout) return layout.status();
  return set_rows<C>(launch, layout->batch_shape(shape), layout->row_size(shape), [&](int64_t row) {
    return layout->space_row(row);
  });
}

template <class C>
Status to_space(Launch& launch, std::span<const int64_t> blocks, const Tensor& entries) {
  auto crops = Paddings::of(entries, static_cast<int>(blocks.size()), "crops");
  if (!crops) return crops.status();
  const auto shape = launch.input(0).shape();
  auto layout = BlockLayout::from_batch(shape, blocks, *crops);
  if (!layout) return layout.status();
  return set_rows<C>(launch, layout->space_shape(shape), layout->row_size(shape), [&](int64_t row) {
    return layout->batch_row(row);
  });
}

/// Kernels of SpaceToBatch and BatchToSpace.
KernelCatalog::Make square_blocks(bool is_to_batch) {
  return [is_to_batch](const Node& node) {
    auto block = node.attr<int64_t>("block_size");
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      return Kernel{.compute = [is_to_batch, blocks = std::array{block, block}](Launch& launch) {
        if (launch.input(0).shape().rank() != 4)
          return invalid_argument(
              "the input must have rank 4, but has shape " + launch.input(0).shape().to_string());
        return is_to_batch ? to_batch<C>(launch, blocks, launch.input(1))
                           : to_space<C>(launch, blocks, launch.input(1));
      }};
    });
  };
}

KernelCatalog::Make nd_blocks(bool is_to_batch) {
  return [is_to_batch](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      return Kernel{.compute = [is_to_batch](Launch& launch) {
        if (launch.input(1).shape().rank() != 1)
          return invalid_argument(
              "'block_shape' must have rank 1, but has shape " +
              launch.input(1).shape().to_string());
        auto blocks = IntInput::of(launch.input(1));
        if (!blocks) return blocks.status();
        return is_to_batch ? to_batch<C>(launch, blocks->values(), launch.input(2))
                           : to_space<C>(launch, blocks->values(), launch.input(2));
      }};
    });
  };
}

/// How height, width and depth lie in a tensor, and the squares that are moved between them.
struct DepthLayout {
  int64_t block;
  bool is_depth_first;
  bool is_to_depth;
};

/// The shape of the result and the walk over the input in its order.
Result<std::pair<Shape, LoopNest<1>>> plan_depth(const Shape& in, const DepthLayout& layout) {
  if (in.rank() != 4)
    return invalid_argument("the input must have rank 4, but has shape " + in.to_string());
  auto y = layout.is_depth_first ? 2 : 1, x = y + 1, z = layout.is_depth_first ? 1 : 3;
  auto block = layout.block;
  auto out = in;
  for (int axis : {y, x, z}) {
    int64_t factor = block;
    if (axis == z && __builtin_mul_overflow(block, block, &factor)) return too_many_elements();
    int64_t size = 0;
    if ((axis == z) == layout.is_to_depth) {
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
  if (shape->elements() == 0) return std::pair(*shape, LoopNest<1>());
  auto strides = strides_of(in);
  LoopNest<1> nest;
  // Where the input has the squares, each axis of space is read in steps of `block`; where it has
  // them in its depth, the parts of the depth are read between the steps.
  auto depth = layout.is_to_depth ? in[z] : out[z];
  auto add_space = [&](int axis, int64_t between) {
    if (!layout.is_to_depth) nest.add_axis(block, {between});
    nest.add_axis(
        layout.is_to_depth ? out[axis] : in[axis],
        {layout.is_to_depth ? block * strides[axis] : strides[axis]});
  };
  auto add_depth = [&] {
    nest.add_axis(depth, {strides[z]});
    if (!layout.is_to_depth) return;
    nest.add_axis(block, {strides[x]});
    nest.add_axis(block, {strides[y]});
  };
  if (!layout.is_depth_first) add_depth();
  add_space(x, depth * strides[z]);
  add_space(y, block * depth * strides[z]);
  if (layout.is_depth_first) add_depth();
  nest.add_axis(in[0], {strides[0]});
  return std::pair(*shape, nest);
}

KernelCatalog::Make depth_kernel(bool is_to_depth) {
  return [is_to_depth](const Node& node) {
    DepthLayout layout = {
        .block = node.attr<int64_t>("block_size"),
        .is_depth_first = node.attr<std::string>("data_format") == "NCHW",
        .is_to_depth = is_to_depth};
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      using C = decltype(cell);
      return Kernel{.compute = [layout](Launch& launch) {
        auto plan = plan_depth(launch.input(0).shape(), layout);
        if (!plan) return plan.status();
        return set_copy<C>(launch, plan->first, plan->second);
      }};
    });
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
  add_patches_kernels(catalog);
}

}  // namespace troupe::cpu
