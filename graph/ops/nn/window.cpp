#include "troupe/graph/ops/nn/window.hpp"

#include <algorithm>
#include <limits>

namespace troupe::ops {
namespace {

constexpr int64_t number_max = std::numeric_limits<int32_t>::max();

std::string list_to_string(const std::vector<int64_t>& values) {
  std::string text;
  for (auto value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return "[" + text + "]";
}

/// Copies a list with a positive number for each axis, 1 for the batch.
Status read_numbers(
    Windows::Numbers& to, const char* name, const std::vector<int64_t>& from, int rank) {
  auto is_wrong = from.size() != static_cast<size_t>(rank) || from[0] != 1;
  for (auto number : from) is_wrong |= number < 1 || number > number_max;
  if (is_wrong)
    return invalid_argument(
        std::string("attribute '") + name + "' must have " + std::to_string(rank) +
        " positive numbers, the first 1 for the batch, but is " + list_to_string(from));
  std::ranges::copy(from, to.begin());
  return {};
}

Status read_paddings(Windows& windows, const std::vector<int64_t>& from) {
  auto rank = static_cast<size_t>(windows.layout.rank());
  if (windows.padding != Windows::Padding::given) {
    if (from.empty()) return {};
    return invalid_argument(
        "attribute 'explicit_paddings' must be empty unless 'padding' is EXPLICIT, but is " +
        list_to_string(from));
  }
  auto is_wrong = from.size() != 2 * rank;
  for (auto number : from) is_wrong |= number < 0 || number > number_max;
  auto channels = 2 * static_cast<size_t>(windows.layout.channel_axis());
  if (!is_wrong) is_wrong = from[0] + from[1] + from[channels] + from[channels + 1] > 0;
  if (is_wrong)
    return invalid_argument(
        "attribute 'explicit_paddings' must have " + std::to_string(2 * rank) +
        " numbers of at least 0, and 0 for batch and channels, but is " + list_to_string(from));
  for (size_t axis = 0; axis < rank; ++axis) {
    windows.before[axis] = from[2 * axis];
    windows.after[axis] = from[2 * axis + 1];
  }
  return {};
}

}  // namespace

ImageLayout ImageLayout::of(const std::string& data_format) {
  return {
      .spatial = static_cast<int>(data_format.size()) - 2,
      .channels_first = data_format.size() > 1 && data_format[1] == 'C'};
}

Result<Windows> Windows::make(const WindowAttrs& attrs) {
  Windows windows{.layout = ImageLayout::of(attrs.data_format)};
  windows.padding = attrs.padding == "SAME"    ? Padding::same
                    : attrs.padding == "VALID" ? Padding::valid
                                               : Padding::given;
  if (windows.padding == Padding::given && (!attrs.paddings || attrs.padding != "EXPLICIT"))
    return invalid_argument(
        std::string("attribute 'padding' must be SAME") +
        (attrs.paddings ? ", VALID or EXPLICIT" : " or VALID") + ", but is " + attrs.padding);
  auto rank = windows.layout.rank();
  auto status = read_numbers(windows.strides, "strides", attrs.strides, rank);
  if (status.ok() && attrs.sizes)
    status = read_numbers(windows.sizes, "ksize", *attrs.sizes, rank);
  if (status.ok() && attrs.dilations)
    status = read_numbers(windows.dilations, attrs.dilations_name, *attrs.dilations, rank);
  if (status.ok() && attrs.paddings) status = read_paddings(windows, *attrs.paddings);
  if (!status.ok()) return status;
  return windows;
}

Result<WindowPlaces> Windows::place(int axis, int64_t elements, int64_t size) const {
  auto i = static_cast<size_t>(axis);
  if (size > number_max)
    return invalid_argument("a window of size " + std::to_string(size) + " is too large");
  auto stride = strides[i];
  if (elements == Shape::unknown || (size == Shape::unknown && padding != Padding::same))
    return WindowPlaces{.count = Shape::unknown};
  auto span = (size - 1) * dilations[i] + 1;
  if (padding == Padding::same) {
    auto count = elements / stride + (elements % stride > 0);
    auto missing = count == 0 ? 0 : std::max<int64_t>(0, (count - 1) * stride + span - elements);
    return WindowPlaces{count, missing / 2, missing - missing / 2};
  }
  WindowPlaces places{.before = before[i], .after = after[i]};
  auto room = elements + places.before + places.after - span;
  if (room + stride < 0)
    return invalid_argument(
        "a window that spans " + std::to_string(span) + " elements does not fit along axis " +
        std::to_string(axis) + ", which has " + std::to_string(span + room) + " with its padding");
  places.count = room < 0 ? 0 : room / stride + 1;
  return places;
}

Result<FilterSizes> FilterSizes::of(const Shape& filter, int64_t channels, bool is_depthwise) {
  constexpr auto unknown = Shape::unknown;
  auto given = filter[filter.rank() - 2], last = filter[filter.rank() - 1];
  if (is_depthwise) {
    if (given != unknown && channels != unknown && given != channels)
      return invalid_argument(
          "the filter, of shape " + filter.to_string() + ", must be for the " +
          std::to_string(channels) + " channels of the input");
    auto groups = given != unknown ? given : channels;
    auto is_known = given != unknown && last != unknown;  // so that the product is no overflow
    return FilterSizes{groups, 1, is_known ? groups * last : unknown};
  }
  FilterSizes sizes{.groups = unknown, .inputs = given, .outputs = last};
  if (given == unknown || channels == unknown) return sizes;
  auto fits = given == 0 ? channels == 0 : channels > 0 && channels % given == 0;
  if (!fits)
    return invalid_argument(
        "the input's " + std::to_string(channels) + " channels must be a multiple of the " +
        std::to_string(given) + " of the filter, of shape " + filter.to_string());
  sizes.groups = given == 0 || channels == 0 ? 1 : channels / given;
  if (last != unknown && last % sizes.groups != 0)
    return invalid_argument(
        "the outputs of the filter, of shape " + filter.to_string() + ", must be a multiple of " +
        std::to_string(sizes.groups) + " groups of channels");
  return sizes;
}

Result<Shape> convolved_shape(
    const Windows& windows, const Shape& input, const Shape& filter, bool is_depthwise) {
  const auto& layout = windows.layout;
  auto channel = static_cast<size_t>(layout.channel_axis());
  if (windows.strides[channel] != 1 || windows.dilations[channel] != 1)
    return invalid_argument("strides and dilations must be 1 for the channels");
  auto sizes = FilterSizes::of(filter, input[layout.channel_axis()], is_depthwise);
  if (!sizes) return sizes.status();
  std::array<int64_t, 5> result{};
  result[0] = input[0];
  result[channel] = sizes->outputs;
  for (int i = 0; i < layout.spatial; ++i) {
    auto axis = layout.spatial_axis(i);
    if (filter[i] == 0)
      return invalid_argument(
          "the filter must not be empty, but has the shape " + filter.to_string());
    auto places = windows.place(axis, input[axis], filter[i]);
    if (!places) return places.status();
    result[static_cast<size_t>(axis)] = places->count;
  }
  return Shape::make(std::span(result).first(static_cast<size_t>(layout.rank())));
}

bool pools_channels(const Windows& windows) {
  auto channel = static_cast<size_t>(windows.layout.channel_axis());
  return windows.sizes[channel] != 1 || windows.strides[channel] != 1;
}

Result<Shape> pooled_shape(const Windows& windows, const Shape& input) {
  const auto& layout = windows.layout;
  auto channel = layout.channel_axis();
  auto result = input;
  for (int i = 0; i < layout.spatial; ++i) {
    auto axis = layout.spatial_axis(i);
    auto size = windows.sizes[static_cast<size_t>(axis)];
    if (pools_channels(windows) && size != 1)
      return invalid_argument("attribute 'ksize' must be 1 for positions, or for the channels");
    auto places = windows.place(axis, input[axis], size);
    if (!places) return places.status();
    result.set(axis, places->count);
  }
  auto size = windows.sizes[static_cast<size_t>(channel)];
  if (size != windows.strides[static_cast<size_t>(channel)])
    return invalid_argument("attributes 'ksize' and 'strides' must agree for the channels");
  if (input[channel] == Shape::unknown) return result;
  if (input[channel] % size != 0)
    return invalid_argument(
        "the " + std::to_string(input[channel]) + " channels must be a multiple of the " +
        std::to_string(size) + " of 'ksize'");
  result.set(channel, input[channel] / size);
  return result;
}

}  // namespace troupe::ops
