#include "troupe/graph/build/nn/normalization.hpp"

#include <algorithm>

namespace troupe::nn {

namespace {

DType exact_dtype(const Value& x) {
  return x.dtype() == DType::float16 ? DType::float32 : x.dtype();
}

/// The moments in a dtype, without the axes of size 1 unless they are kept.
Moments finished(
    const Builder& b, const Moments& kept, const std::vector<int32_t>& axes, bool keep_dims,
    DType dtype) {
  auto finish = [&](const Value& value) {
    std::vector<int64_t> squeezed(axes.begin(), axes.end());
    auto has_axes = keep_dims || squeezed.empty();
    auto whole = has_axes ? value : b.op("Squeeze", {value}, {{"squeeze_dims", squeezed}});
    return Operand(whole).tensor(b, dtype);
  };
  return {finish(kept.mean), finish(kept.variance)};
}

}  // namespace

Value l2_loss(const Builder& b, const Value& t) { return b.op("L2Loss", {t}); }

Value l2_normalize(
    const Builder& builder, const Value& x, const std::optional<std::vector<int32_t>>& axes,
    double epsilon) {
  auto b = builder.scope("l2_normalize");
  auto tensor = Operand(x).tensor(b);
  if (!tensor.is_valid()) return {};
  auto each = b.square(tensor);
  auto squares = axes ? b.reduce_sum(each, *axes, /*keep_dims=*/true) : b.reduce_sum(each);
  return tensor * b.op("Rsqrt", {b.op("Maximum", {squares, b.like(tensor, epsilon)})});
}

Moments moments(
    const Builder& builder, const Value& x, const std::vector<int32_t>& axes, bool keep_dims) {
  auto b = builder.scope("moments");
  auto tensor = Operand(x).tensor(b);
  if (!tensor.is_valid()) return {};
  auto exact = Operand(tensor).tensor(b, exact_dtype(tensor));
  auto mean = b.named("mean").reduce_mean(exact, axes, /*keep_dims=*/true);
  auto squares = b.op("SquaredDifference", {exact, b.op("StopGradient", {mean})});
  auto variance = b.named("variance").reduce_mean(squares, axes, /*keep_dims=*/true);
  return finished(b, {mean, variance}, axes, keep_dims, tensor.dtype());
}

Moments weighted_moments(
    const Builder& builder, const Value& x, const std::vector<int32_t>& axes,
    const Operand& frequency_weights, bool keep_dims) {
  auto b = builder.scope("weighted_moments");
  auto given = Operand(x).tensor(b);
  if (!given.is_valid()) return {};
  auto tensor = Operand(given).tensor(b, exact_dtype(given));
  auto weights = frequency_weights.tensor(b, tensor.dtype());
  auto weighted = b.reduce_sum(weights * tensor, axes, /*keep_dims=*/true);
  // The weights may be those of whole slices, which broadcast.
  auto each = weights + b.zeros_like(tensor);
  auto share = b.op("Reciprocal", {b.reduce_sum(each, axes, /*keep_dims=*/true)});
  auto mean = weighted * share;
  auto squares = b.op("SquaredDifference", {tensor, mean});
  auto spread = b.reduce_sum(weights * squares, axes, /*keep_dims=*/true);
  return finished(b, {mean, spread * share}, axes, keep_dims, given.dtype());
}

Value batch_normalization(
    const Builder& builder, const Value& x, const Moments& moments,
    const BatchNormalizationOptions& options) {
  auto b = builder.scope("batchnorm");
  auto tensor = Operand(x).tensor(b);
  auto mean = Operand(moments.mean).tensor(b), variance = Operand(moments.variance).tensor(b);
  if (!tensor.is_valid() || !mean.is_valid() || !variance.is_valid()) return {};
  auto factor = b.op("Rsqrt", {variance + options.variance_epsilon});
  if (options.scale.is_valid()) factor = b.mul(factor, options.scale);
  auto shift = options.offset.is_valid() ? b.sub(options.offset, mean * factor) : -mean * factor;
  return tensor * Operand(factor).tensor(b, tensor.dtype()) +
         Operand(shift).tensor(b, tensor.dtype());
}

FusedBatchNorm fused_batch_norm(
    const Builder& b, const Value& x, const Value& scale, const Value& offset,
    const FusedBatchNormOptions& options) {
  auto given = options.moments.value_or(Moments());
  if (!options.moments) given.mean = given.variance = b.constant(Tensor::of<float>({0}, {}));
  // cuDNN has no smaller one, and TensorFlow uses the same one on all devices.
  constexpr double least_epsilon = 1.001e-5;
  auto y = b.op(
      "FusedBatchNormV3", {x, scale, offset, given.mean, given.variance},
      {{"epsilon", std::max(options.epsilon, least_epsilon)},
       {"data_format", options.data_format},
       {"is_training", !options.moments}});
  if (!y.is_valid()) return {};
  return {.y = y, .moments = {y.output(1), y.output(2)}};
}

Value local_response_normalization(
    const Builder& b, const Value& input, const LocalResponseNormalizationOptions& o) {
  return b.op(
      "LRN", {input},
      {{"depth_radius", o.depth_radius}, {"bias", o.bias}, {"alpha", o.alpha}, {"beta", o.beta}});
}

}  // namespace troupe::nn
