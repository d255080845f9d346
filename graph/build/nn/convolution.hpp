#pragma once

#include "troupe/graph/build/nn/window.hpp"

namespace troupe::nn {

/// Images filtered by a [height, width, channels, outputs] filter.
Value conv2d(
    const Builder& builder, const Value& input, const Value& filter,
    const ConvolutionOptions& options = {});

/// Sequences filtered by a [width, channels, outputs] filter. Strides and dilations are of one
/// number, formats "NWC" and "NCW"; paddings are not explicit.
Value conv1d(
    const Builder& builder, const Value& input, const Value& filters,
    const ConvolutionOptions& options = {.data_format = "NWC"});

/// The transpose of conv2d(), with a [height, width, outputs, channels] filter. `output_shape` is a
/// vector of four sizes.
Value conv2d_transpose(
    const Builder& builder, const Value& input, const Value& filter, const Value& output_shape,
    const ConvolutionOptions& options = {});

/// Each channel filtered by its own filters: [height, width, channels, outputs of each].
Value depthwise_conv2d(
    const Builder& builder, const Value& input, const Value& filter,
    const ConvolutionOptions& options = {});

/// depthwise_conv2d(), and a filter of one pixel that mixes the channels.
Value separable_conv2d(
    const Builder& builder, const Value& input, const Value& depthwise_filter,
    const Value& pointwise_filter, const ConvolutionOptions& options = {});

}  // namespace troupe::nn
