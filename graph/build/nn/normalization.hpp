#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/build/operand.hpp"

namespace troupe::nn {

/// Half of the sum of the squares.
Value l2_loss(const Builder& builder, const Value& t);

/// x divided by its L2 norm along those axes, by default all.
Value l2_normalize(
    const Builder& builder, const Value& x, const std::optional<std::vector<int32_t>>& axes = {},
    double epsilon = 1e-12);

struct Moments {
  Value mean;
  Value variance;
};
/// Along those axes. Half precision is computed in single precision.
Moments moments(
    const Builder& builder, const Value& x, const std::vector<int32_t>& axes,
    bool keep_dims = false);

/// The same of elements that count as often as their weights say, which broadcast.
Moments weighted_moments(
    const Builder& builder, const Value& x, const std::vector<int32_t>& axes,
    const Operand& frequency_weights, bool keep_dims = false);

struct BatchNormalizationOptions {
  Value offset = {};  // none: 0
  Value scale = {};   // none: 1
  double variance_epsilon = 0.001;
};
/// (x - mean) / sqrt(variance + epsilon) scale + offset, with broadcasting.
Value batch_normalization(
    const Builder& builder, const Value& x, const Moments& moments,
    const BatchNormalizationOptions& options);

struct FusedBatchNormOptions {
  /// Those to normalize by; none: those of the batch, as in training.
  std::optional<Moments> moments = {};
  double epsilon = 0.001;
  std::string data_format = "NHWC";
};
struct FusedBatchNorm {
  Value y;
  Moments moments;  // those of the batch, the variance of a larger population
};
/// Batch normalization of images, as one node.
FusedBatchNorm fused_batch_norm(
    const Builder& builder, const Value& x, const Value& scale, const Value& offset,
    const FusedBatchNormOptions& options = {});

struct LocalResponseNormalizationOptions {
  int64_t depth_radius = 5;
  double bias = 1;
  double alpha = 1;
  double beta = 0.5;
};
/// Each element divided by (bias + alpha times the sum of squares of channels around it)^beta.
Value local_response_normalization(
    const Builder& builder, const Value& input, const LocalResponseNormalizationOptions& o = {});

}  // namespace troupe::nn
