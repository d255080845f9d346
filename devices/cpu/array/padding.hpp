#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/shape.hpp"

namespace troupe::cpu {

/// How many elements are added, or cropped, before and after those of each axis: a tensor of int32
/// or int64 and the shape [axes, 2]. A value without allocations.
class Paddings {
 public:
  /// Fails unless there are so many axes and no entry is negative or over 2^48. `name`: of the
  /// input, for messages.
  static Result<Paddings> of(const Tensor& tensor, int axes, const char* name = "paddings");

  int64_t before(int axis) const { return before_[static_cast<size_t>(axis)]; }
  int64_t after(int axis) const { return after_[static_cast<size_t>(axis)]; }

 private:
  std::array<int64_t, Shape::max_rank> before_{};
  std::array<int64_t, Shape::max_rank> after_{};
};

/// The shape with its paddings.
Result<Shape> padded_shape(const Shape& shape, const Paddings& paddings);

/// Whether a tensor of that shape can be continued so far by mirroring it at its ends, which are
/// repeated or not.
Status check_mirror(const Shape& inner, const Paddings& paddings, bool repeats_ends);
/// The shape of the tensor that was so continued to that shape.
Result<Shape> mirrored_shape(const Shape& padded, const Paddings& paddings, bool repeats_ends);

/// A padded tensor as rows along the last axis that has paddings, with the axes after it.
class PaddedRows {
 public:
  /// The padded tensor has elements.
  PaddedRows(const Shape& shape, const Paddings& paddings);

  /// Sets `to`, on many threads, to the tensor's elements, and to the value around them.
  template <class C>
  void fill(C* to, const C* from, const C& value) const {
    auto padded = before_ + size_ + after_;
    parallel_pieces(rows_, padded, [&](int64_t row, int64_t first, int64_t last) {
      // What is of the tensor in this piece of the row.
      auto source = source_of(row);
      auto begin = source < 0 ? last : std::clamp(before_, first, last);
      auto end = source < 0 ? last : std::clamp(before_ + size_, first, last);
      auto* at = to + row * padded;
      std::fill(at + first, at + begin, value);
      if (begin < end)
        std::copy_n(from + source * size_ + begin - before_, end - begin, at + begin);
      std::fill(at + end, at + last, value);
    });
  }

 private:
  struct Axis {
    int64_t before, size, padded;
  };

  /// The row of the tensor that is in a row, or -1 where that has but the value.
  int64_t source_of(int64_t row) const;

  int64_t before_ = 0, size_ = 1, after_ = 0, rows_ = 1;
  std::array<Axis, Shape::max_rank> axes_{};  // before that of the rows, innermost first
  size_t axes_count_ = 0;
};

// The parts of the padding family, each in the file of its name.
void add_tiling_kernels(KernelCatalog& catalog);  // Tile, TileGrad

}  // namespace troupe::cpu
