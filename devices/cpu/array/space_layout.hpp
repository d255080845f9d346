#pragma once

#include <algorithm>
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

  /// Rows, of the axes that have no blocks, that lie one after the other in "batch", along the last
  /// axis that has. Row i of [begin, end) is row first + i * step of "space"; the others are
  /// padding.
  struct Line {
    int64_t first = 0, step = 1, begin = 0, end = 0;
  };
  int64_t line_rows() const { return counts_[last()]; }
  Line line(int64_t index) const;
  /// All lines, each after those whose rows lie between its own in "space".
  int64_t line_in_turn(int64_t i) const {
    auto step = blocks_[last()], of_position = batches_;
    for (int axis = 0; axis < last(); ++axis) of_position *= counts_[axis];
    return (i / step / of_position * step + i % step) * of_position + i / step % of_position;
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
  int last() const { return std::max(axes_ - 1, 0); }

  int axes_ = 0;
  int64_t batches_ = 0, positions_ = 1;
  // Without axes that are cut, there is one of a single element.
  Sizes blocks_{1}, before_{}, space_{1}, counts_{1};
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
