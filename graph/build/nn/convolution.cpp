#include "troupe/graph/build/nn/convolution.hpp"

#include <algorithm>

namespace troupe::nn {

namespace {

/// A node of an op with windows.
Value windowed(
    const Builder& b, const char* op, const Values& inputs, const ConvolutionOptions& options) {
  auto attrs = window_attrs(options);
  if (attrs) return b.op(op, inputs, *attrs);
  b.fail(attrs.status());
  return {};
}

}  // namespace

Value conv2d(
    const Builder& b, const Value& input, const Value& filter, const ConvolutionOptions& options) {
  return windowed(b, "Conv2D", {input, filter}, options);
}

Value conv1d(
    const Builder& builder, const Value& input, const Value& filters,
    const ConvolutionOptions& options) {
  auto is_first = options.data_format == "NCW";
  auto has_one = options.strides.size() == 1 && options.dilations.size() == 1;
  if ((!is_first && options.data_format != "NWC") || !has_one ||
      !options.explicit_paddings.empty()) {
    builder.fail(invalid_argument(
        "conv1d takes a data_format NWC or NCW, one stride and one dilation: " +
        options.data_format));
    return {};
  }
  auto b = builder.scope("conv1d");
  // As images of height 1.
  auto height = is_first ? 2 : 1;
  auto flat = options;
  flat.data_format = is_first ? "NCHW" : "NHWC";
  flat.strides = {1, options.strides[0]};
  flat.dilations = {1, options.dilations[0]};
  auto images = b.op("ExpandDims", {input, b.constant<int32_t>(height)});
  auto filter = b.op("ExpandDims", {filters, b.constant<int32_t>(0)});
  auto filtered = conv2d(b, images, filter, flat);
  return b.op("Squeeze", {filtered}, {{"squeeze_dims", std::vector<int64_t>{height}}});
}

Value conv2d_transpose(
    const Builder& b, const Value& input, const Value& filter, const Value& output_shape,
    const ConvolutionOptions& options) {
  return windowed(
      b.named("conv2d_transpose"), "Conv2DBackpropInput", {output_shape, filter, input}, options);
}

Value depthwise_conv2d(
    const Builder& b, const Value& input, const Value& filter, const ConvolutionOptions& options) {
  auto is_more = [](int64_t size) { return size > 1; };
  if (std::ranges::any_of(options.strides, is_more) &&
      std::ranges::any_of(options.dilations, is_more)) {
    b.fail(invalid_argument("strides > 1 not supported in conjunction with dilations > 1"));
    return {};
  }
  return windowed(b.named("depthwise"), "DepthwiseConv2dNative", {input, filter}, options);
}

Value separable_conv2d(
    const Builder& builder, const Value& input, const Value& depthwise_filter,
    const Value& pointwise_filter, const ConvolutionOptions& options) {
  auto b = builder.scope("separable_conv2d");
  auto separate = depthwise_conv2d(b, input, depthwise_filter, options);
  return conv2d(
      b, separate, pointwise_filter, {.padding = "VALID", .data_format = options.data_format});
}

}  // namespace troupe::nn
