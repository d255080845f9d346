#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/types/shape.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe::ops {

/// The axes of a batch of images or volumes: [batch, spatial..., channels], or channels first as in
/// [batch, channels, spatial...].
struct ImageLayout {
  int spatial = 2;
  bool channels_first = false;

  /// "NHWC", "NCHW", "NDHWC" or "NCDHW".
  static ImageLayout of(const std::string& data_format);

  int rank() const { return spatial + 2; }
  int channel_axis() const { return channels_first ? 1 : spatial + 1; }
  int spatial_axis(int i) const { return channels_first ? i + 2 : i + 1; }
};

/// The attributes of an op that moves windows over images, each list with a number for each axis of
/// the layout.
struct WindowAttrs {
  std::string data_format, padding;
  std::vector<int64_t> strides;
  std::optional<std::vector<int64_t>> sizes = {}, dilations = {};  // ones where the op has none
  const char* dilations_name = "dilations";  // of the attribute
  /// Before and after each axis, where `padding` is EXPLICIT, which it may be if there are any.
  std::optional<std::vector<int64_t>> paddings = {};
};

/// How many windows there are along an axis, and the padding before and after it.
struct WindowPlaces {
  int64_t count = 0, before = 0, after = 0;
};

/// Windows over images. The numbers of each axis of the layout are positive and fit in 31 bits;
/// those of the batch are 1.
struct Windows {
  enum class Padding : uint8_t { same, valid, given };
  using Numbers = std::array<int64_t, 5>;

  ImageLayout layout;
  Padding padding = Padding::valid;
  Numbers sizes{1, 1, 1, 1, 1}, strides{1, 1, 1, 1, 1}, dilations{1, 1, 1, 1, 1};
  Numbers before{}, after{};

  /// Fails, naming the attribute, where one is no such list.
  static Result<Windows> make(const WindowAttrs& attrs);
  /// Where windows of that size lie along an axis with so many elements; `size` must be positive,
  /// or unknown, then all that depends on it is. Fails where they do not fit.
  Result<WindowPlaces> place(int axis, int64_t elements, int64_t size) const;
};

/// The sizes that a kernel's or an op's attributes give, from a Node or a ShapeInference.
template <class Source>
WindowAttrs convolution_attrs(const Source& source, bool has_paddings) {
  using Ints = std::vector<int64_t>;
  std::optional<Ints> paddings;
  if (has_paddings) paddings = source.template attr<Ints>("explicit_paddings");
  return {
      .data_format = source.template attr<std::string>("data_format"),
      .padding = source.template attr<std::string>("padding"),
      .strides = source.template attr<Ints>("strides"),
      .dilations = source.template attr<Ints>("dilations"),
      .paddings = std::move(paddings)};
}

/// As convolution_attrs(), of a morphological dilation.
template <class Source>
WindowAttrs dilation_attrs(const Source& source) {
  return {
      .data_format = "NHWC",
      .padding = source.template attr<std::string>("padding"),
      .strides = source.template attr<std::vector<int64_t>>("strides"),
      .dilations = source.template attr<std::vector<int64_t>>("rates"),
      .dilations_name = "rates"};
}

/// As convolution_attrs(), of a pool; without `sizes` and `strides` where they are inputs.
template <class Source>
WindowAttrs pool_attrs(const Source& source, bool has_format, bool has_sizes) {
  using Ints = std::vector<int64_t>;
  WindowAttrs attrs{
      .data_format = has_format ? source.template attr<std::string>("data_format") : "NHWC",
      .padding = source.template attr<std::string>("padding")};
  if (!has_sizes) return attrs;
  attrs.sizes = source.template attr<Ints>("ksize");
  attrs.strides = source.template attr<Ints>("strides");
  return attrs;
}

/// What a convolution's filter says: one of shape [spatial..., channels of a group, outputs of all
/// groups], or a depthwise one [spatial..., channels, outputs of each].
struct FilterSizes {
  int64_t groups = 1, inputs = 0, outputs = 0;  // inputs: of each group; outputs: of all

  /// Either may have unknown sizes, and then results have. Fails where they do not fit.
  static Result<FilterSizes> of(const Shape& filter, int64_t channels, bool is_depthwise);
};

/// The shape of a convolution's result; the shapes of input and filter must have the layout's rank,
/// and may have unknown sizes.
Result<Shape> convolved_shape(
    const Windows& windows, const Shape& input, const Shape& filter, bool is_depthwise);

/// The shape that pools of those windows make of an input, of the layout's rank. Windows may span
/// several channels instead of positions, but then they must not overlap.
Result<Shape> pooled_shape(const Windows& windows, const Shape& input);

/// True where windows span channels.
bool pools_channels(const Windows& windows);

}  // namespace troupe::ops
