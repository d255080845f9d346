#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "troupe/devices/cpu/array/padding.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// An axis of a copy, whose elements lie so far apart in the source. The copy has them one after
/// the other.
struct CopyAxis {
  int64_t size, stride;
};
/// From the innermost outward.
using CopyAxes = std::vector<CopyAxis>;

/// A tensor whose axes after the first are cut into blocks ("space"), and the one where the first
/// axis has an entry for each position in a block and each entry before ("batch").
class BlockLayout {
 public:
  static Result<BlockLayout> from_space(
      const Shape& space, std::span<const int64_t> blocks, const Paddings& paddings);
  static Result<BlockLayout> from_batch(
      const Shape& batch, std::span<const int64_t> blocks, const Paddings& crops);

  /// The shapes of both, for one of them: only the first axes differ.
  Result<Shape> batch_shape(const Shape& space) const;
  Result<Shape> space_shape(const Shape& batch) const;
  /// That of "space" with its paddings.
  Result<Shape> padded_shape(const Shape& space) const;

  /// How many axes are cut, and the elements before those of one of them.
  int axes() const { return axes_; }
  int64_t before(int axis) const { return before_[axis]; }

  /// The elements of "batch" in their order, and where they lie in "space" with its paddings, for
  /// rows of so many elements.
  CopyAxes axes_of_batch(int64_t row_size) const;

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

  /// The elements of the axes that have no blocks.
  int64_t row_size(const Shape& shape) const {
    int64_t size = 1;
    for (int axis = axes_ + 1; axis < shape.rank(); ++axis) size *= shape[axis];
    return size;
  }

 private:
  using Sizes = std::array<int64_t, Shape::max_rank>;

  static Result<BlockLayout> make(
      const Shape& shape, std::span<const int64_t> blocks, const Paddings& paddings);
  Result<Shape> with_sizes(Shape shape, int64_t first, const Sizes& sizes) const;

  int axes_ = 0;
  int64_t batches_ = 0, positions_ = 1;
  Sizes blocks_{}, before_{}, space_{}, counts_{};
};

/// How height, width and depth lie in a tensor, and the squares that are moved between them.
struct DepthLayout {
  int64_t block;
  bool is_depth_first;
  bool is_to_depth;

  struct Plan {
    Shape shape;  // of the result
    CopyAxes axes;
  };
  /// Of an input of that shape.
  Result<Plan> plan(const Shape& in) const;
};

}  // namespace troupe::cpu
