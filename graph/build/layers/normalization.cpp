#include "troupe/graph/build/layers/normalization.hpp"

#include <algorithm>

#include "troupe/graph/build/nn/normalization.hpp"
#include "troupe/graph/build/optimizers/colocation.hpp"

namespace troupe::layers {

namespace {

DType dtype_of_weights(const Value& x) {
  auto is_half = x.dtype() == DType::float16 || x.dtype() == DType::bfloat16;
  return is_half ? DType::float32 : x.dtype();
}

/// One batch normalization: its variables, and the nodes that it consists of.
class BatchNorm {
 public:
  BatchNorm(LayerBuilder& layer, const Value& x, int axis, const BatchNormalizationOptions& options)
      : b_(layer.nodes()), x_(x), axis_(axis), options_(options), dtype_(dtype_of_weights(x)) {
    Shape channels{x.shape()[axis]};
    if (options.scale)
      gamma_ = layer.add_and_read({"gamma", channels, dtype_, options.gamma_initializer});
    if (options.center)
      beta_ = layer.add_and_read({"beta", channels, dtype_, options.beta_initializer});
    moving_.mean = layer.add({"moving_mean", channels, dtype_, options.moving_mean_initializer});
    moving_.variance =
        layer.add({"moving_variance", channels, dtype_, options.moving_variance_initializer});
  }

  Value output() {
    auto is_known = options_.training.number().has_value();
    auto is_image = x_.shape().rank() == 4 && (axis_ == 1 || axis_ == 3);
    return options_.fused && is_image && is_known ? fused() : composed();
  }
  const Values& updates() const { return updates_; }

 private:
  /// The moving averages, to which no gradient passes.
  nn::Moments averages() const {
    auto read = [&](const Variable& average) {
      return b_.op("StopGradient", {Operand(average).tensor(b_)});
    };
    return {read(moving_.mean), read(moving_.variance)};
  }

  Value fused() {
    auto filled = [&](double value) {
      return constant_initializer(value)(b_, {x_.shape()[axis_]}, dtype_);
    };
    auto is_training = *options_.training.number() != 0;
    nn::FusedBatchNormOptions options{
        .epsilon = options_.epsilon, .data_format = axis_ == 3 ? "NHWC" : "NCHW"};
    if (!is_training) options.moments = averages();
    auto result = nn::fused_batch_norm(
        b_, x_, options_.scale ? gamma_ : filled(1), options_.center ? beta_ : filled(0), options);
    if (is_training && result.y.is_valid())
      move_averages(result.moments, b_.sub(number(1), number(options_.momentum)));
    return result.y;
  }

  Value composed() {
    auto moments = chosen_moments();
    auto shaped = [&](const Value& value) {
      if (!value.is_valid() || axis_ == x_.shape().rank() - 1)
        return value.is_valid() ? Operand(value).tensor(b_, x_.dtype()) : value;
      std::vector<int32_t> sizes(static_cast<size_t>(x_.shape().rank()), 1);
      sizes[static_cast<size_t>(axis_)] = static_cast<int32_t>(x_.shape()[axis_]);
      return Operand(b_.reshape(value, b_.ints(sizes))).tensor(b_, x_.dtype());
    };
    return nn::batch_normalization(
        b_, x_, {shaped(moments.mean), shaped(moments.variance)},
        {.offset = shaped(beta_), .scale = shaped(gamma_), .variance_epsilon = options_.epsilon});
  }

  /// Those to normalize by.
  nn::Moments chosen_moments() {
    auto known = options_.training.number();
    if (known && *known == 0) return averages();
    std::vector<int32_t> axes;
    for (int axis = 0; axis < x_.shape().rank(); ++axis)
      if (axis != axis_) axes.push_back(axis);
    auto moments = nn::moments(b_, Operand(x_).tensor(b_, dtype_), axes);
    auto rate = b_.sub(number(1), number(options_.momentum));
    if (known) {
      move_averages(moments, rate);
      return moments;
    }
    auto flag = options_.training.tensor(b_, DType::boolean);
    move_averages(moments, b_.op("SelectV2", {flag, rate, b_.zeros_like(rate)}));
    auto moving = averages();
    return {
        b_.op("SelectV2", {flag, moments.mean, moving.mean}),
        b_.op("SelectV2", {flag, moments.variance, moving.variance})};
  }

  void move_averages(const nn::Moments& moments, const Value& rate) {
    auto move = [&](const Variable& average, const Value& value) {
      auto b = colocate_with(average, b_.scope("AssignMovingAvg"));
      updates_.push_back(
          b.op("AssignSubVariableOp", {average.handle, b.mul(b.sub(average, value), rate)}));
    };
    move(moving_.mean, moments.mean);
    move(moving_.variance, moments.variance);
  }

  Value number(double value) const { return Operand(value).tensor(b_, dtype_); }

  const Builder& b_;
  Value x_;
  int axis_;
  const BatchNormalizationOptions& options_;
  DType dtype_;
  Value gamma_;
  Value beta_;
  struct {
    Variable mean;
    Variable variance;
  } moving_;
  Values updates_;
};

}  // namespace

Layer batch_normalization(
    const Builder& builder, const Value& inputs, const BatchNormalizationOptions& options) {
  LayerBuilder layer(builder, "batch_normalization", options.scope);
  auto x = Operand(inputs).tensor(layer.nodes());
  if (!x.is_valid()) return {};
  if (!x.shape().has_rank())
    return layer.fail(invalid_argument("Input has undefined rank: " + x.shape().to_string()));
  auto axis = find_axis(options.axis, x.shape().rank());
  if (!axis) return layer.fail(axis.status());
  if (x.shape()[*axis] == Shape::unknown)
    return layer.fail(invalid_argument(
        "Input has undefined `axis` dimension. Input shape: " + x.shape().to_string()));
  BatchNorm norm(layer, x, *axis, options);
  if (!layer.nodes().status().ok()) return {};
  auto output = norm.output();
  return layer.finish(output, norm.updates());
}

Layer layer_norm(const Builder& builder, const Value& inputs, const LayerNormOptions& options) {
  LayerBuilder layer(builder, "LayerNorm", options.scope);
  const auto& b = layer.nodes();
  auto x = Operand(inputs).tensor(b);
  if (!x.is_valid()) return {};
  auto rank = x.shape().rank();
  if (rank < 0)
    return layer.fail(invalid_argument("Input has undefined rank: " + x.shape().to_string()));
  auto first = find_axis(options.begin_norm_axis, rank);
  auto params = find_axis(options.begin_params_axis, rank);
  if (!first || !params) return layer.fail(first ? params.status() : first.status());
  auto shape = Shape(x.shape().sizes().subspan(static_cast<size_t>(*params)));
  if (!shape.is_known())
    return layer.fail(invalid_argument(
        "the axes of beta and gamma need known sizes. Input shape: " + x.shape().to_string()));
  std::vector<int32_t> axes;
  for (int axis = *first; axis < rank; ++axis) axes.push_back(axis);
  nn::BatchNormalizationOptions by{
      // TensorFlow takes a larger one where half precision has no smaller one.
      .variance_epsilon = x.dtype() == DType::float16 ? 1e-3 : 1e-12};
  if (options.center)
    by.offset = layer.add_and_read({"beta", shape, x.dtype(), zeros_initializer()});
  if (options.scale) by.scale = layer.add_and_read({"gamma", shape, x.dtype(), ones_initializer()});
  auto moments = nn::moments(b, x, axes, /*keep_dims=*/true);
  return layer.finish(nn::batch_normalization(b, x, moments, by));
}

}  // namespace troupe::layers
