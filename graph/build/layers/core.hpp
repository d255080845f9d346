#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/build/layers/layer.hpp"
#include "troupe/graph/build/nn/activation.hpp"
#include "troupe/graph/build/nn/dropout.hpp"

namespace troupe::layers {

struct DenseOptions {
  nn::Activation activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = glorot_uniform_initializer();
  Initializer bias_initializer = zeros_initializer();
  LayerScope scope = {};
};
/// activation(inputs kernel + bias), along the last axis, whose size must be known; "kernel" and
/// "bias" are its variables.
Layer dense(
    const Builder& builder, const Value& inputs, int64_t units, const DenseOptions& options = {});

struct DropoutOptions {
  Operand rate = 0.5;
  std::optional<std::vector<int64_t>> noise_shape = {};
  std::optional<int64_t> seed = {};
  Operand training = false;  // or a bool that each step computes
};
/// In training, sets elements to zero at that rate and scales the others.
Layer dropout(const Builder& builder, const Value& inputs, const DropoutOptions& options = {});

/// All axes but the first as one, with the channels ("channels_first" or "channels_last") last.
Layer flatten(
    const Builder& builder, const Value& inputs, const std::string& data_format = "channels_last");

struct EmbeddingOptions {
  Initializer embeddings_initializer =
      random_uniform_initializer({.minval = -0.05, .maxval = 0.05});
  DType dtype = DType::float32;
  LayerScope scope = {};
};
/// The rows of a table with `input_dim` rows of `output_dim` elements, the variable "embeddings".
Layer embedding(
    const Builder& builder, const Value& ids, int64_t input_dim, int64_t output_dim,
    const EmbeddingOptions& options = {});

}  // namespace troupe::layers
