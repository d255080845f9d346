#include "troupe/graph/build/layers/convolutional.hpp"

#include <algorithm>

#include "troupe/graph/build/nn/convolution.hpp"
#include "troupe/graph/build/nn/pooling.hpp"

namespace troupe::layers {

namespace {

/// Images as a layer takes them: with a known number of channels, in one of two formats.
struct Images {
  Value tensor;
  std::string format;  // of ops
  int64_t channels;
};

Result<std::string> format_of_op(const std::string& data_format) {
  if (data_format == "channels_last") return std::string("NHWC");
  if (data_format == "channels_first") return std::string("NCHW");
  return invalid_argument(
      "The `data_format` argument must be one of 'channels_first', 'channels_last'. Received: " +
      data_format);
}

Result<Images> images_of(const Builder& b, const Value& inputs, const std::string& data_format) {
  auto format = format_of_op(data_format);
  if (!format) return format.status();
  auto tensor = Operand(inputs).tensor(b);
  if (!tensor.is_valid()) return invalid_argument("a layer was given no images");
  const auto& shape = tensor.shape();
  auto channels = shape.rank() == 4 ? shape[*format == "NHWC" ? 3 : 1] : Shape::unknown;
  if (channels == Shape::unknown)
    return invalid_argument(
        "images need four axes and a known number of channels, not " + shape.to_string());
  return Images{tensor, *format, channels};
}

/// A size for each axis of space.
Result<std::vector<int64_t>> pair_of(const std::vector<int64_t>& sizes, const char* name) {
  auto is_positive = [](int64_t size) { return size > 0; };
  if (sizes.empty() || sizes.size() > 2 || !std::ranges::all_of(sizes, is_positive))
    return invalid_argument(
        "The `" + std::string(name) + "` argument must be one or two positive integers");
  return std::vector<int64_t>{sizes.front(), sizes.back()};
}

/// The checked arguments that all layers of convolutions have.
struct Arguments {
  Images images;
  std::vector<int64_t> kernel_size;
  nn::ConvolutionOptions windows;
};

template <class Options>
Result<Arguments> arguments_of(
    const Builder& b, const Value& inputs, int64_t filters, const std::vector<int64_t>& kernel_size,
    const Options& options) {
  auto images = images_of(b, inputs, options.data_format);
  if (!images) return images.status();
  auto kernel = pair_of(kernel_size, "kernel_size");
  if (!kernel) return kernel.status();
  auto strides = pair_of(options.strides, "strides");
  if (!strides) return strides.status();
  auto rates = pair_of(options.dilation_rate, "dilation_rate");
  if (!rates) return rates.status();
  if (std::ranges::max(*strides) > 1 && std::ranges::max(*rates) > 1)
    return invalid_argument("strides > 1 not supported in conjunction with dilation_rate > 1");
  if (filters < 1) return invalid_argument("a convolution needs at least one filter");
  nn::ConvolutionOptions windows{
      .strides = *strides,
      .padding = options.padding,
      .data_format = images->format,
      .dilations = *rates};
  return Arguments{*std::move(images), *std::move(kernel), windows};
}

template <class Options>
Value with_bias(
    LayerBuilder& layer, const Arguments& given, const Value& filtered, int64_t filters,
    const Options& options) {
  const auto& b = layer.nodes();
  auto outputs = filtered;
  if (options.use_bias)
    outputs = nn::bias_add(
        b, outputs,
        layer.add_and_read(
            {"bias", {filters}, given.images.tensor.dtype(), options.bias_initializer}),
        given.images.format);
  return options.activation ? options.activation(b, outputs) : outputs;
}

/// The size of an axis that has so many windows, before they were taken.
int64_t unwindowed(int64_t size, int64_t window, bool is_valid, int64_t stride) {
  if (size == Shape::unknown) return size;
  return size * stride + (is_valid ? std::max(window - stride, int64_t{0}) : 0);
}

/// The shape of what a transposed convolution makes, with sizes of each step where they are unknown
/// before.
Value transposed_sizes(const Builder& b, const Arguments& given, int64_t filters) {
  const auto& images = given.images.tensor;
  auto is_last = given.images.format == "NHWC";
  auto first = is_last ? 1 : 2;
  auto is_valid = given.windows.padding == "valid";
  auto shape = images.shape();
  shape.set(is_last ? 3 : 1, filters);
  auto own = images.shape().is_known() ? Value() : b.op("Shape", {images});
  Values sizes;
  for (int axis = 0; axis < 4; ++axis) {
    auto place = static_cast<size_t>(std::max(axis - first, 0));
    auto is_space = axis >= first && place < 2;
    auto window = is_space ? given.kernel_size[place] : 1;
    auto stride = is_space ? given.windows.strides[place] : 1;
    auto size = unwindowed(shape[axis], window, is_valid, stride);
    if (size != Shape::unknown) {
      sizes.push_back(b.constant(static_cast<int32_t>(size)));
      continue;
    }
    auto more = unwindowed(0, window, is_valid, stride);
    auto found = b.op("Slice", {own, b.ints({axis}), b.ints({1})});
    auto scalar = b.op("Squeeze", {found});
    sizes.push_back(scalar * static_cast<double>(stride) + static_cast<double>(more));
  }
  return b.op("Pack", sizes);
}

Layer pooling(
    const Builder& builder, const char* kind,
    Value (*pool)(const Builder&, const Value&, const nn::PoolOptions&), const Value& inputs,
    const PoolingOptions& options) {
  LayerBuilder layer(builder, kind);
  auto format = format_of_op(options.data_format);
  if (!format) return layer.fail(format.status());
  auto size = pair_of(options.pool_size, "pool_size");
  if (!size) return layer.fail(size.status());
  auto strides = options.strides.empty() ? size : pair_of(options.strides, "strides");
  if (!strides) return layer.fail(strides.status());
  return layer.finish(pool(
      layer.nodes(), inputs,
      {.ksize = *size, .strides = *strides, .padding = options.padding, .data_format = *format}));
}

}  // namespace

Layer conv2d(
    const Builder& builder, const Value& inputs, int64_t filters,
    const std::vector<int64_t>& kernel_size, const ConvolutionOptions& options) {
  LayerBuilder layer(builder, "conv2d", options.scope);
  const auto& b = layer.nodes();
  auto given = arguments_of(b, inputs, filters, kernel_size, options);
  if (!given) return layer.fail(given.status());
  const auto& [images, kernel, windows] = *given;
  auto filter = layer.add_and_read(
      {"kernel",
       {kernel[0], kernel[1], images.channels, filters},
       images.tensor.dtype(),
       options.kernel_initializer});
  auto filtered = nn::conv2d(b, images.tensor, filter, windows);
  return layer.finish(with_bias(layer, *given, filtered, filters, options));
}

Layer conv2d_transpose(
    const Builder& builder, const Value& inputs, int64_t filters,
    const std::vector<int64_t>& kernel_size, const ConvolutionOptions& options) {
  LayerBuilder layer(builder, "conv2d_transpose", options.scope);
  const auto& b = layer.nodes();
  auto given = arguments_of(b, inputs, filters, kernel_size, options);
  if (!given) return layer.fail(given.status());
  const auto& [images, kernel, windows] = *given;
  if (std::ranges::max(windows.dilations) > 1)
    return layer.fail(invalid_argument("a transposed convolution has a dilation_rate of 1"));
  auto filter = layer.add_and_read(
      {"kernel",
       {kernel[0], kernel[1], filters, images.channels},
       images.tensor.dtype(),
       options.kernel_initializer});
  auto sizes = transposed_sizes(b, *given, filters);
  auto filtered = nn::conv2d_transpose(b, images.tensor, filter, sizes, windows);
  return layer.finish(with_bias(layer, *given, filtered, filters, options));
}

Layer separable_conv2d(
    const Builder& builder, const Value& inputs, int64_t filters,
    const std::vector<int64_t>& kernel_size, const SeparableConvolutionOptions& options) {
  LayerBuilder layer(builder, "separable_conv2d", options.scope);
  const auto& b = layer.nodes();
  auto given = arguments_of(b, inputs, filters, kernel_size, options);
  if (!given) return layer.fail(given.status());
  const auto& [images, kernel, windows] = *given;
  auto multiplier = options.depth_multiplier;
  if (multiplier < 1) return layer.fail(invalid_argument("depth_multiplier must be at least 1"));
  auto dtype = images.tensor.dtype();
  auto depthwise = layer.add_and_read(
      {"depthwise_kernel",
       {kernel[0], kernel[1], images.channels, multiplier},
       dtype,
       options.depthwise_initializer});
  auto pointwise = layer.add_and_read(
      {"pointwise_kernel",
       {1, 1, images.channels * multiplier, filters},
       dtype,
       options.pointwise_initializer});
  auto filtered = nn::separable_conv2d(b, images.tensor, depthwise, pointwise, windows);
  return layer.finish(with_bias(layer, *given, filtered, filters, options));
}

Layer max_pooling2d(const Builder& builder, const Value& inputs, const PoolingOptions& options) {
  return pooling(builder, "max_pooling2d", nn::max_pool, inputs, options);
}

Layer average_pooling2d(
    const Builder& builder, const Value& inputs, const PoolingOptions& options) {
  return pooling(builder, "average_pooling2d", nn::avg_pool, inputs, options);
}

}  // namespace troupe::layers
