#include "troupe/devices/cpu/checkpoint/tensor_slice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {
namespace {

std::optional<int64_t> parse_int64(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

Result<SliceExtents> parse_extents(std::string_view text, const std::string& whole) {
  SliceExtents extents;
  for (auto item : split(text, ':')) {
    if (item.empty()) continue;
    if (item == "-") {
      extents.emplace_back();
      continue;
    }
    auto comma = item.find(',');
    auto start = parse_int64(item.substr(0, comma));
    auto length =
        comma == std::string_view::npos ? std::nullopt : parse_int64(item.substr(comma + 1));
    if (!start || !length)
      return invalid_argument(
          "Expected a pair of numbers or '-' but got " + quote(item) + ": string = " + whole);
    if (*start < 0 || *length <= 0)
      return invalid_argument(
          "Expected non-negative start and positive length but got start = " +
          std::to_string(*start) + ", length = " + std::to_string(*length) + ": string = " + whole);
    extents.push_back({*start, *length});
  }
  return extents;
}

/// Where a slice of a dimension begins and ends.
struct Span {
  int64_t begin;
  int64_t end;
};

Span span_of(const Shape& full, const SliceExtents& extents, int axis) {
  const auto& extent = extents[static_cast<size_t>(axis)];
  if (extent.is_all()) return {0, full[axis]};
  return {extent.start, extent.start + extent.length};
}

/// The elements that two slices have in common, as a box, with the strides of both.
struct CommonBox {
  int rank = 0;
  std::array<int64_t, Shape::max_rank> size{}, from_stride{}, to_stride{};
  int64_t from_offset = 0, to_offset = 0, elements = 1;
};

CommonBox common_box(const Shape& full, const SliceExtents& from, const SliceExtents& to) {
  CommonBox box{.rank = full.rank()};
  int64_t from_stride = 1, to_stride = 1;
  for (int axis = full.rank() - 1; axis >= 0; --axis) {
    auto a = span_of(full, from, axis), b = span_of(full, to, axis);
    auto begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
    auto at = static_cast<size_t>(axis);
    box.size[at] = std::max<int64_t>(0, end - begin);
    box.from_stride[at] = from_stride;
    box.to_stride[at] = to_stride;
    box.from_offset += (begin - a.begin) * from_stride;
    box.to_offset += (begin - b.begin) * to_stride;
    box.elements *= box.size[at];
    from_stride *= a.end - a.begin;
    to_stride *= b.end - b.begin;
  }
  return box;
}

/// Calls copy(from, to, count) for runs of elements that lie side by side in both.
template <class Copy>
void for_each_run(const CommonBox& box, const Copy& copy) {
  if (box.elements == 0) return;
  if (box.rank == 0) return copy(box.from_offset, box.to_offset, 1);
  auto last = static_cast<size_t>(box.rank - 1);
  std::array<int64_t, Shape::max_rank> index{};
  auto from = box.from_offset, to = box.to_offset;
  while (true) {
    copy(from, to, box.size[last]);
    int axis = box.rank - 2;
    for (; axis >= 0; --axis) {
      auto at = static_cast<size_t>(axis);
      from += box.from_stride[at];
      to += box.to_stride[at];
      if (++index[at] < box.size[at]) break;
      from -= box.size[at] * box.from_stride[at];
      to -= box.size[at] * box.to_stride[at];
      index[at] = 0;
    }
    if (axis < 0) return;
  }
}

// OrderedCode, of which a key needs three kinds of values: numbers from 0 on, texts, signed
// numbers.

void append_number(std::string& to, uint64_t value) {
  auto bytes = (static_cast<int>(std::bit_width(value)) + 7) / 8;
  to += static_cast<char>(bytes);
  for (auto i = bytes - 1; i >= 0; --i) to += static_cast<char>(value >> (8 * i));
}

void append_text(std::string& to, const std::string& text) {
  for (char byte : text) {
    to += byte;
    if (byte == '\0') to += '\xff';
    else if (byte == '\xff') to += '\0';
  }
  to += '\0';
  to += '\1';
}

/// The first bits say how many bytes there are; for negative numbers all bits are inverted.
void append_signed(std::string& to, int64_t value) {
  auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  auto length = static_cast<int>(std::bit_width(magnitude)) / 7 + 1;
  // Two bytes of sign, then the number in eight, the highest first.
  std::array<uint8_t, 10> bytes{};
  bytes.fill(value < 0 ? 0xff : 0);
  for (int i = 0; i < 8; ++i)
    bytes[static_cast<size_t>(9 - i)] =
        static_cast<uint8_t>(static_cast<uint64_t>(value) >> (8 * i));
  auto begin = static_cast<size_t>(10 - length);
  for (int bit = 0; bit < length; ++bit)
    bytes[begin + static_cast<size_t>(bit / 8)] ^= static_cast<uint8_t>(0x80 >> (bit % 8));
  to.append(reinterpret_cast<const char*>(bytes.data()) + begin, static_cast<size_t>(length));
}

}  // namespace

Result<ShapeAndSlice> ShapeAndSlice::parse(const std::string& text) {
  auto space = text.rfind(' ');
  if (space == std::string::npos)
    return invalid_argument("Need least two elements in shape_and_slice specification: " + text);
  std::vector<int64_t> sizes;
  for (auto part : split(std::string_view(text).substr(0, space), ' ')) {
    auto size = parse_int64(part);
    if (!size) return invalid_argument("Non numerical dimension in shape_and_slice: " + text);
    sizes.push_back(*size);
  }
  auto full = Shape::make(sizes);
  if (!full || !full->is_known() || full->elements() > Shape::max_elements)
    return invalid_argument("shape_and_slice has no tensor's shape: " + text);
  auto extents = parse_extents(std::string_view(text).substr(space + 1), text);
  if (!extents) return extents.status();
  if (static_cast<int>(extents->size()) != full->rank())
    return invalid_argument(
        "Expected " + std::to_string(full->rank()) + " parts of a slice, but got " +
        std::to_string(extents->size()) + ": " + text);
  for (int axis = 0; axis < full->rank(); ++axis) {
    const auto& extent = (*extents)[static_cast<size_t>(axis)];
    auto size = (*full)[axis];
    if (!extent.is_all() && (extent.start > size || extent.length > size - extent.start))
      return invalid_argument(
          "Extent in dimension " + std::to_string(axis) +
          " out of bounds: shape = " + full->to_string() + ", slice = " + to_string(*extents));
  }
  return ShapeAndSlice{*full, *extents, slice_shape(*full, *extents)};
}

Result<ShapeAndSlice> ShapeAndSlice::parse_for(const std::string& text, const Shape& value) {
  auto slice = parse(text);
  if (!slice || slice->shape == value) return slice;
  return invalid_argument(
      "Slice in shape_and_slice specification does not match the shape of the tensor to save: " +
      text + ", tensor: " + value.to_string());
}

SliceExtents whole_slice(const Shape& full) {
  return SliceExtents(static_cast<size_t>(full.rank()));
}

Shape slice_shape(const Shape& full, const SliceExtents& extents) {
  auto shape = full;
  for (int axis = 0; axis < full.rank(); ++axis) {
    auto [begin, end] = span_of(full, extents, axis);
    shape.set(axis, end - begin);
  }
  return shape;
}

std::string to_string(const SliceExtents& extents) {
  std::string text;
  for (const auto& extent : extents) {
    if (!text.empty()) text += ':';
    text +=
        extent.is_all() ? "-" : std::to_string(extent.start) + "," + std::to_string(extent.length);
  }
  return text;
}

std::string slice_key(const std::string& name, const SliceExtents& extents) {
  std::string key;
  append_number(key, 0);
  append_text(key, name);
  append_number(key, extents.size());
  for (const auto& extent : extents) {
    append_signed(key, extent.start);
    append_signed(key, extent.length);
  }
  return key;
}

int64_t copy_common_elements(
    const Shape& full, const SliceExtents& from_extents, const Tensor& from,
    const SliceExtents& to_extents, Tensor& to) {
  auto box = common_box(full, from_extents, to_extents);
  if (from.dtype() == DType::string) {
    const auto* source = from.data<std::string>();
    auto* target = to.mutable_data<std::string>();
    for_each_run(box, [&](int64_t at, int64_t goal, int64_t count) {
      std::copy_n(source + at, count, target + goal);
    });
    return box.elements;
  }
  auto width = static_cast<int64_t>(size_of(from.dtype()));
  const auto* source = static_cast<const char*>(from.raw());
  auto* target = static_cast<char*>(to.mutable_raw());
  for_each_run(box, [&](int64_t at, int64_t goal, int64_t count) {
    std::copy_n(source + at * width, count * width, target + goal * width);
  });
  return box.elements;
}

int64_t count_common_elements(const Shape& full, const SliceExtents& a, const SliceExtents& b) {
  return common_box(full, a, b).elements;
}

}  // namespace troupe::cpu
