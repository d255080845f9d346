#include <algorithm>

#include "troupe/graph/ops/array/strided_slice.hpp"

namespace troupe::ops {
namespace {

bool has_bit(int64_t mask, int bit) { return (mask >> bit & 1) != 0; }

/// How many elements lie from `begin` to before `end`, at that stride.
int64_t count_between(int64_t begin, int64_t end, int64_t stride) {
  auto length = end - begin;
  if (length == 0 || (length < 0) != (stride < 0)) return 0;
  return length / stride + (length % stride != 0 ? 1 : 0);
}

/// A single element, whose axis the result lacks.
Result<StridedSlice::Axis> shrunk_axis(int64_t size, const SliceEntries::Entry& entry, int axis) {
  if (entry.stride.value_or(1) < 0)
    return invalid_argument(
        "a single element of axis " + std::to_string(axis) + " needs a positive stride, not " +
        std::to_string(*entry.stride));
  StridedSlice::Axis result{.size = 1};
  if (!entry.begin || size == Shape::unknown) return result;
  result.begin = *entry.begin < 0 ? *entry.begin + size : *entry.begin;
  if (result.begin < 0 || result.begin >= size)
    return invalid_argument(
        "index " + std::to_string(*entry.begin) + " is out of bounds for axis " +
        std::to_string(axis) + " of size " + std::to_string(size));
  return result;
}

/// Entry i of the slice, which is about that axis.
Result<StridedSlice::Axis> slice_axis(
    int64_t size, const SliceEntries::Entry& entry, const SliceMasks& masks, int i, int axis) {
  if (entry.stride == 0)
    return invalid_argument("the stride of axis " + std::to_string(axis) + " must not be 0");
  if (has_bit(masks.shrink_axis, i)) return shrunk_axis(size, entry, axis);
  auto all_before = has_bit(masks.begin, i), all_after = has_bit(masks.end, i);
  if (size == Shape::unknown || !entry.stride || (!all_before && !entry.begin) ||
      (!all_after && !entry.end))
    return StridedSlice::Axis{};
  auto stride = *entry.stride;
  // Where a walk that begins or ends outside is cut off: before the first element it stands at -1.
  auto least = stride > 0 ? int64_t{0} : int64_t{-1}, most = least + size;
  auto place = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, least, most); };
  auto begin = !all_before ? place(*entry.begin) : stride > 0 ? least : most;
  auto end = !all_after ? place(*entry.end) : stride > 0 ? most : least;
  auto count = count_between(begin, end, stride);
  return StridedSlice::Axis{
      .begin = count == 0 ? 0 : begin, .stride = count < 2 ? 1 : stride, .size = count};
}

/// Adds the axes of a slice one after the other.
class SliceReader {
 public:
  SliceReader(const Shape& input, const SliceEntries& given, const SliceMasks& masks)
      : input_(input), given_(given), masks_(masks) {}

  Result<StridedSlice> read() {
    bool has_ellipsis = false;
    for (int i = 0; i < given_.count; ++i) {
      has_ellipsis |= has_bit(masks_.ellipsis, i);
      if (auto status = read_entry(i); !status.ok()) return status;
    }
    if (!has_ellipsis) keep_axes_before(input_.rank());
    auto shape = Shape::make(std::span<const int64_t>(sizes_.data(), size_count_));
    if (!shape) return shape.status();
    slice_.result = *shape;
    return slice_;
  }

 private:
  Status read_entry(int i) {
    if (has_bit(masks_.ellipsis, i)) {
      int axes_after = 0;
      for (int j = i + 1; j < given_.count; ++j) axes_after += !has_bit(masks_.new_axis, j);
      keep_axes_before(input_.rank() - axes_after);
      return {};
    }
    if (has_bit(masks_.new_axis, i)) {
      sizes_[size_count_++] = 1;
      return {};
    }
    if (axis_ == input_.rank())
      return invalid_argument(
          "a slice of a tensor of rank " + std::to_string(input_.rank()) +
          " cannot have more entries than that, but has " + std::to_string(given_.count) +
          " with the ellipsis and new axes");
    auto axis = slice_axis(input_[axis_], given_.entries[i], masks_, i, axis_);
    if (!axis) return axis.status();
    slice_.axes[axis_++] = *axis;
    if (!has_bit(masks_.shrink_axis, i)) sizes_[size_count_++] = axis->size;
    return {};
  }

  void keep_axes_before(int end) {
    for (; axis_ < end; ++axis_) {
      slice_.axes[axis_].size = input_[axis_];
      sizes_[size_count_++] = input_[axis_];
    }
  }

  const Shape& input_;
  const SliceEntries& given_;
  const SliceMasks& masks_;
  StridedSlice slice_;
  int axis_ = 0;
  std::array<int64_t, SliceEntries::most + Shape::max_rank> sizes_;
  size_t size_count_ = 0;
};

}  // namespace

Result<StridedSlice> resolve_slice(
    const Shape& input, const SliceEntries& given, const SliceMasks& masks) {
  int ellipses = 0;
  for (int i = 0; i < given.count; ++i) ellipses += has_bit(masks.ellipsis, i);
  if (ellipses > 1) return invalid_argument("a slice can have at most one ellipsis");
  return SliceReader(input, given, masks).read();
}

}  // namespace troupe::ops
