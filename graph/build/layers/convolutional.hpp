#pragma once

#include <string>
#include <vector>

#include "troupe/graph/build/layers/layer.hpp"
#include "troupe/graph/build/nn/activation.hpp"

namespace troupe::layers {

/// Sizes are one for both axes of space, or one for each.
struct ConvolutionOptions {
  std::vector<int64_t> strides = {1};
  std::string padding = "valid";              // or "same"
  std::string data_format = "channels_last";  // or "channels_first"
  std::vector<int64_t> dilation_rate = {1};
  nn::Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform_initializer();
  Initializer bias_initializer = zeros_initializer();
  LayerScope scope = {};
};

/// activation(conv2d(images) + bias), with the variables "kernel" and "bias". The number of
/// channels of `inputs` must be known.
Layer conv2d(
    const Builder& builder, const Value& inputs, int64_t filters,
    const std::vector<int64_t>& kernel_size, const ConvolutionOptions& options = {});

/// The transpose of conv2d(). `dilation_rate` must be 1.
Layer conv2d_transpose(
    const Builder& builder, const Value& inputs, int64_t filters,
    const std::vector<int64_t>& kernel_size, const ConvolutionOptions& options = {});

struct SeparableConvolutionOptions {
  std::vector<int64_t> strides = {1};
  std::string padding = "valid";
  std::string data_format = "channels_last";
  std::vector<int64_t> dilation_rate = {1};
  int64_t depth_multiplier = 1;
  nn::Activation activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = glorot_uniform_initializer();
  Initializer pointwise_initializer = glorot_uniform_initializer();
  Initializer bias_initializer = zeros_initializer();
  LayerScope scope = {};
};

/// Filters each channel of images, and mixes them by a filter of one pixel. Its variables are
/// "depthwise_kernel", "pointwise_kernel" and "bias".
Layer separable_conv2d(
    const Builder& builder, const Value& inputs, int64_t filters,
    const std::vector<int64_t>& kernel_size, const SeparableConvolutionOptions& options = {});

struct PoolingOptions {
  std::vector<int64_t> pool_size = {2};
  std::vector<int64_t> strides = {};  // empty: pool_size
  std::string padding = "valid";
  std::string data_format = "channels_last";
};
/// The greatest element of each window of an image.
Layer max_pooling2d(
    const Builder& builder, const Value& inputs, const PoolingOptions& options = {});
/// The mean of each window of an image.
Layer average_pooling2d(
    const Builder& builder, const Value& inputs, const PoolingOptions& options = {});

}  // namespace troupe::layers
