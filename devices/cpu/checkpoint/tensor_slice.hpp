#pragma once

#include <string>

#include "troupe/graph/proto/bundle_messages.hpp"
#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

/// Which part of which shape an op saves or restores, "4 10 0,2:-": the full shape, then for each
/// dimension start and length, or "-" for all of it.
struct ShapeAndSlice {
  Shape full;
  SliceExtents extents;
  Shape shape;  // of the slice

  /// InvalidArgument for text that is none, and for slices outside of the shape.
  static Result<ShapeAndSlice> parse(const std::string& text);
  /// The same for a value that is saved; InvalidArgument where its shape is not that of the slice.
  static Result<ShapeAndSlice> parse_for(const std::string& text, const Shape& value);
};

SliceExtents whole_slice(const Shape& full);
Shape slice_shape(const Shape& full, const SliceExtents& extents);
/// "0,2:-".
std::string to_string(const SliceExtents& extents);

/// The key of a slice in an index: zero, name and extents in a code whose order is theirs.
std::string slice_key(const std::string& name, const SliceExtents& extents);

/// Two slices of one full shape: copies the elements that both have, and returns how many these
/// are.
int64_t copy_common_elements(
    const Shape& full, const SliceExtents& from_extents, const Tensor& from,
    const SliceExtents& to_extents, Tensor& to);
/// How many elements two slices have in common.
int64_t count_common_elements(const Shape& full, const SliceExtents& a, const SliceExtents& b);

}  // namespace troupe::cpu
