#pragma once

#include "troupe/graph/build/layers/layer.hpp"

namespace troupe::layers {

struct BatchNormalizationOptions {
  int axis = -1;  // the channels, each of which is normalized
  double momentum = 0.99;
  double epsilon = 1e-3;
  bool center = true;
  bool scale = true;
  Initializer beta_initializer = zeros_initializer();
  Initializer gamma_initializer = ones_initializer();
  Initializer moving_mean_initializer = zeros_initializer();
  Initializer moving_variance_initializer = ones_initializer();
  Operand training = false;  // or a bool that each step computes
  bool fused = true;         // by one node, for images
  LayerScope scope = {};
};

/// Normalizes each channel: in training by the moments of the batch, else by moving averages, which
/// its updates move. Its variables are "gamma", "beta", "moving_mean" and "moving_variance"; no
/// gradient passes to the last two. Where `training` is a tensor, a step computes both moments and
/// selects.
Layer batch_normalization(
    const Builder& builder, const Value& inputs, const BatchNormalizationOptions& options = {});

struct LayerNormOptions {
  bool center = true;
  bool scale = true;
  int begin_norm_axis = 1;     // normalized are this axis and those after it
  int begin_params_axis = -1;  // the first axis of beta and gamma
  LayerScope scope = {};
};

/// Normalizes each sample by its own moments, as tf.contrib.layers.layer_norm, in the scope
/// "LayerNorm". Its variables are "beta" and "gamma".
Layer layer_norm(const Builder& builder, const Value& inputs, const LayerNormOptions& options = {});

}  // namespace troupe::layers
