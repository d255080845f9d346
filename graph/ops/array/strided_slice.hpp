#pragma once

#include <array>
#include <optional>

#include "troupe/graph/op.hpp"

namespace troupe::ops {

/// The attributes of the strided slices: bit i of each is about entry i of begin, end and strides.
struct SliceMasks {
  int64_t begin, end, ellipsis, new_axis, shrink_axis;

  /// Those of a node, or of what a shape function sees.
  template <class Attributes>
  static SliceMasks of(const Attributes& from) {
    auto read = [&](const char* name) { return from.template attr<int64_t>(name); };
    return {read("begin_mask"), read("end_mask"), read("ellipsis_mask"), read("new_axis_mask"),
            read("shrink_axis_mask")};
  }
};

/// The entries of begin, end and strides, as far as they are known. A value without allocations.
struct SliceEntries {
  static constexpr int most = 32;  // masks have as many bits
  struct Entry {
    std::optional<int64_t> begin, end, stride;
  };
  int count = 0;
  std::array<Entry, most> entries;
};

/// What a strided slice takes of its input.
struct StridedSlice {
  /// Of one axis, `size` elements (or unknown): begin, begin + stride, ... The stride is 1 where
  /// there are less than two.
  struct Axis {
    int64_t begin = 0;
    int64_t stride = 1;
    int64_t size = Shape::unknown;
  };
  std::array<Axis, Shape::max_rank> axes;
  Shape result;  // with new axes, and without those that are shrunk
};

/// Reads a strided slice as TensorFlow does: x[1:, ..., None, -1] and the like. `input` has a rank;
/// sizes and entries that are not known leave sizes of the result unknown.
Result<StridedSlice> resolve_slice(
    const Shape& input, const SliceEntries& given, const SliceMasks& masks);

}  // namespace troupe::ops
