#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "troupe/graph/types/shape.hpp"

namespace troupe::cpu {

/// A walk over the elements of a shape in row-major order, row by row, with the offsets at which N
/// operands, each with strides of its own, hold them. Axes that every operand crosses in one even
/// stride are merged, so rows are as long as can be. A value without allocations.
template <size_t N>
class LoopNest {
 public:
  using Offsets = std::array<int64_t, N>;

  /// Adds the next axis, from the innermost outward. Stride 0 repeats an operand along the axis.
  void add_axis(int64_t size, Offsets strides) {
    elements_ *= size;
    if (size == 1) return;
    if (rank_ > 0 && continues(strides)) {
      axes_[rank_ - 1].size *= size;
      return;
    }
    axes_[rank_++] = {size, strides};
  }

  int rank() const { return rank_; }
  int64_t elements() const { return elements_; }
  int64_t row_size() const { return rank_ == 0 ? 1 : axes_[0].size; }
  int64_t rows() const { return elements_ == 0 ? 0 : elements_ / row_size(); }
  /// The strides within a row; all 0 where a row is a single element.
  Offsets row_strides() const { return rank_ == 0 ? Offsets{} : axes_[0].strides; }
  /// Size and strides of the outermost axis.
  int64_t outer_size() const { return rank_ == 0 ? 1 : axes_[rank_ - 1].size; }
  Offsets outer_strides() const { return rank_ == 0 ? Offsets{} : axes_[rank_ - 1].strides; }

  /// Calls f(row, offsets of its first element) for each row in [begin, end).
  template <class F>
  void each_row(int64_t begin, int64_t end, const F& f) const {
    if (begin >= end) return;  // an axis may have size 0
    std::array<int64_t, Shape::max_rank> index{};
    Offsets offsets{};
    auto rest = begin;
    for (int axis = 1; axis < rank_; ++axis) {
      index[axis] = rest % axes_[axis].size;
      rest /= axes_[axis].size;
      advance(offsets, axis, index[axis]);
    }
    for (auto row = begin; row < end; ++row) {
      f(row, offsets);
      for (int axis = 1; axis < rank_; ++axis) {
        advance(offsets, axis, 1);
        if (++index[axis] < axes_[axis].size) break;
        advance(offsets, axis, -index[axis]);
        index[axis] = 0;
      }
    }
  }

 private:
  struct Axis {
    int64_t size;
    Offsets strides;
  };

  bool continues(const Offsets& strides) const {
    const auto& inner = axes_[rank_ - 1];
    for (size_t i = 0; i < N; ++i)
      if (strides[i] != inner.strides[i] * inner.size) return false;
    return true;
  }

  void advance(Offsets& offsets, int axis, int64_t steps) const {
    for (size_t i = 0; i < N; ++i) offsets[i] += steps * axes_[axis].strides[i];
  }

  int rank_ = 0;
  int64_t elements_ = 1;
  std::array<Axis, Shape::max_rank> axes_;  // innermost first
};

/// The walk over `whole` with one operand of shape `part`, which is broadcast to it.
inline LoopNest<1> broadcast_nest(const Shape& part, const Shape& whole) {
  LoopNest<1> nest;
  int64_t stride = 1;
  for (int back = 1; back <= whole.rank(); ++back) {
    auto size = back <= part.rank() ? part[part.rank() - back] : 1;
    nest.add_axis(whole[whole.rank() - back], {size == 1 ? 0 : stride});
    stride *= size;
  }
  return nest;
}

/// The walk over `whole` with two operands, both broadcast to it.
inline LoopNest<2> broadcast_nest(const Shape& x, const Shape& y, const Shape& whole) {
  LoopNest<2> nest;
  int64_t x_stride = 1, y_stride = 1;
  for (int back = 1; back <= whole.rank(); ++back) {
    auto x_size = back <= x.rank() ? x[x.rank() - back] : 1;
    auto y_size = back <= y.rank() ? y[y.rank() - back] : 1;
    nest.add_axis(
        whole[whole.rank() - back], {x_size == 1 ? 0 : x_stride, y_size == 1 ? 0 : y_stride});
    x_stride *= x_size;
    y_stride *= y_size;
  }
  return nest;
}

}  // namespace troupe::cpu
