#include "troupe/graph/build/losses/losses.hpp"

#include <algorithm>

#include "troupe/graph/build/nn/cross_entropy.hpp"

namespace troupe::losses {

namespace {

/// The weights of losses, which broadcast to their shape.
struct WeightedLosses {
  WeightedLosses(const Builder& b, const Value& losses, const Operand& given)
      : each(Operand(losses).tensor(b)) {
    if (!each.is_valid()) return;
    weights = given.tensor(b, each.dtype());
    if (!weights.is_valid() || broadcasts()) return;
    b.fail(invalid_argument(
        "weights can not be broadcast to values. weights.shape=" + weights.shape().to_string() +
        ". values.shape=" + each.shape().to_string()));
    weights = {};
  }
  bool are_valid() const { return each.is_valid() && weights.is_valid(); }

  Value each;
  Value weights;

 private:
  bool broadcasts() const {
    const auto& sizes = weights.shape();
    const auto& wanted = each.shape();
    if (!sizes.has_rank() || sizes.is_scalar() || !wanted.has_rank()) return true;
    if (sizes.rank() != wanted.rank()) return false;
    for (int axis = 0; axis < sizes.rank(); ++axis) {
      auto fits = sizes[axis] == 1 || sizes[axis] == Shape::unknown ||
                  wanted[axis] == Shape::unknown || sizes[axis] == wanted[axis];
      if (!fits) return false;
    }
    return true;
  }
};

/// 1 where the weight of a loss is not zero.
Value presence(const Builder& b, const Value& weights) {
  return b.cast(b.op("NotEqual", {weights, b.zeros_like(weights)}), weights.dtype());
}

Value reduced(const Builder& b, const WeightedLosses& losses, Reduction reduction) {
  auto weighted = losses.each * losses.weights;
  if (reduction == Reduction::none) return weighted;
  auto total = b.reduce_sum(weighted);
  if (reduction == Reduction::sum) return total;
  auto weights = losses.weights + b.zeros_like(weighted);
  auto counted = reduction == Reduction::mean                  ? weights
                 : reduction == Reduction::sum_over_batch_size ? b.ones_like(weighted)
                                                               : presence(b, weights);
  auto count = b.reduce_sum(counted);
  auto is_zero = b.cast(b.equal(count, b.zeros_like(count)), weighted.dtype());
  return total / (count + is_zero);
}

/// Labels and predictions of one dtype and compatible shapes, and a builder for their loss.
struct Predicted {
  Predicted(const Builder& builder, const char* name, const Value& labels, const Value& predictions)
      : b(builder.scope(name)), predictions(Operand(predictions).tensor(b)) {
    if (!this->predictions.is_valid()) return;
    this->labels = Operand(labels).tensor(b, this->predictions.dtype());
    if (!this->labels.is_valid() ||
        this->labels.shape().is_compatible_with(this->predictions.shape()))
      return;
    b.fail(invalid_argument(
        "Shapes " + this->labels.shape().to_string() + " and " +
        this->predictions.shape().to_string() + " are incompatible"));
    this->labels = {};
  }
  bool is_valid() const { return labels.is_valid() && predictions.is_valid(); }
  Value zero() const { return b.like(predictions, 0); }
  /// The loss from what it is of each element.
  template <class Options>
  Value loss(const Value& each, const Options& options) const {
    return compute_weighted_loss(
        b, each, {.weights = options.weights, .reduction = options.reduction});
  }

  Builder b;
  Value predictions;
  Value labels;
};

}  // namespace

Value compute_weighted_loss(
    const Builder& builder, const Value& losses, const LossOptions& options) {
  auto b = builder.scope("weighted_loss");
  WeightedLosses weighted(b, losses, options.weights);
  return weighted.are_valid() ? reduced(b, weighted, options.reduction) : Value();
}

Value absolute_difference(
    const Builder& builder, const Value& labels, const Value& predictions,
    const LossOptions& options) {
  Predicted p(builder, "absolute_difference", labels, predictions);
  if (!p.is_valid()) return {};
  return p.loss(p.b.op("Abs", {p.predictions - p.labels}), options);
}

Value mean_squared_error(
    const Builder& builder, const Value& labels, const Value& predictions,
    const LossOptions& options) {
  Predicted p(builder, "mean_squared_error", labels, predictions);
  if (!p.is_valid()) return {};
  return p.loss(p.b.op("SquaredDifference", {p.predictions, p.labels}), options);
}

Value mean_pairwise_squared_error(
    const Builder& builder, const Value& labels, const Value& predictions, const Operand& weights) {
  Predicted p(builder, "mean_pairwise_squared_error", labels, predictions);
  if (!p.is_valid()) return {};
  const auto& b = p.b;
  auto errors = p.predictions - p.labels;
  auto rank = errors.shape().rank();
  if (rank < 1) {
    b.fail(invalid_argument("pairs of elements of samples need a known rank of at least 1"));
    return {};
  }
  WeightedLosses weighted(b, errors, weights);
  if (!weighted.are_valid()) return {};
  std::vector<int32_t> axes;
  for (int axis = 1; axis < rank; ++axis) axes.push_back(axis);
  auto sum = [&](const Value& x) { return b.reduce_sum(x, axes, /*keep_dims=*/true); };
  auto count = sum(presence(b, weighted.weights + b.zeros_like(errors)));
  auto squares = sum(b.square(errors)), total = sum(errors);
  auto others = b.op("Maximum", {count - 1.0, p.zero()});
  auto pairs = b.op("Maximum", {count * (count - 1.0), p.zero()});
  auto sample = b.op("DivNoNan", {squares, others}) - b.op("DivNoNan", {b.square(total), pairs});
  return b.reduce_sum(2.0 * sample * weighted.weights);
}

Value cosine_distance(
    const Builder& builder, const Value& labels, const Value& predictions,
    const CosineDistanceOptions& options) {
  Predicted p(builder, "cosine_distance_loss", labels, predictions);
  if (!p.is_valid()) return {};
  auto cosine = p.b.reduce_sum(p.predictions * p.labels, {options.axis}, /*keep_dims=*/true);
  return p.loss(1.0 - cosine, options);
}

Value hinge_loss(
    const Builder& builder, const Value& labels, const Value& logits, const LossOptions& options) {
  Predicted p(builder, "hinge_loss", labels, logits);
  if (!p.is_valid()) return {};
  return p.loss(p.b.relu(1.0 - (2.0 * p.labels - 1.0) * p.predictions), options);
}

Value huber_loss(
    const Builder& builder, const Value& labels, const Value& predictions,
    const HuberLossOptions& options) {
  Predicted p(builder, "huber_loss", labels, predictions);
  if (!p.is_valid()) return {};
  auto error = p.b.op("Abs", {p.predictions - p.labels});
  auto quadratic = p.b.op("Minimum", {error, p.b.like(error, options.delta)});
  return p.loss(0.5 * quadratic * quadratic + options.delta * (error - quadratic), options);
}

Value log_loss(
    const Builder& builder, const Value& labels, const Value& predictions,
    const LogLossOptions& options) {
  Predicted p(builder, "log_loss", labels, predictions);
  if (!p.is_valid()) return {};
  auto positive = p.labels * p.b.log(p.predictions + options.epsilon);
  auto negative = (1.0 - p.labels) * p.b.log(1.0 - p.predictions + options.epsilon);
  return p.loss(-positive - negative, options);
}

Value sigmoid_cross_entropy(
    const Builder& builder, const Value& multi_class_labels, const Value& logits,
    const CrossEntropyOptions& options) {
  Predicted p(builder, "sigmoid_cross_entropy_loss", multi_class_labels, logits);
  if (!p.is_valid()) return {};
  auto smoothing = options.label_smoothing;
  auto labels = p.labels;
  if (smoothing != 0) labels = labels * (1 - smoothing) + 0.5 * smoothing;
  return p.loss(nn::sigmoid_cross_entropy_with_logits(p.b, labels, p.predictions), options);
}

Value softmax_cross_entropy(
    const Builder& builder, const Value& onehot_labels, const Value& logits,
    const CrossEntropyOptions& options) {
  Predicted p(builder, "softmax_cross_entropy_loss", onehot_labels, logits);
  if (!p.is_valid()) return {};
  auto labels = p.b.op("StopGradient", {p.labels});
  if (auto smoothing = options.label_smoothing; smoothing != 0) {
    const auto& shape = labels.shape();
    auto classes = shape.rank() > 0 ? shape[shape.rank() - 1] : Shape::unknown;
    if (classes < 1) {
      p.b.fail(invalid_argument("smoothing of labels needs a known number of classes"));
      return {};
    }
    labels = labels * (1 - smoothing) + smoothing / static_cast<double>(classes);
  }
  return p.loss(nn::softmax_cross_entropy_with_logits_v2(p.b, labels, p.predictions), options);
}

Value sparse_softmax_cross_entropy(
    const Builder& builder, const Value& labels, const Value& logits, const LossOptions& options) {
  auto b = builder.scope("sparse_softmax_cross_entropy_loss");
  auto numbers = Operand(labels).tensor(b), features = Operand(logits).tensor(b);
  if (!numbers.is_valid() || !features.is_valid()) return {};
  auto weights = options.weights;
  auto rank = features.shape().rank();
  auto has_last_one = [&](const Value& x) {
    return rank > 0 && x.shape().rank() == rank && x.shape()[rank - 1] == 1;
  };
  auto squeezed = [&](const Value& x) {
    return b.op("Squeeze", {x}, {{"squeeze_dims", std::vector<int64_t>{-1}}});
  };
  if (has_last_one(numbers)) {
    numbers = squeezed(numbers);
    auto given = weights.tensor(b);
    if (given.is_valid() && has_last_one(given)) weights = squeezed(given);
  }
  if (!numbers.is_valid()) return {};
  if (!std::ranges::count(indexing(), numbers.dtype())) numbers = b.cast(numbers, DType::int64);
  auto each = nn::sparse_softmax_cross_entropy_with_logits(b, numbers, features);
  return compute_weighted_loss(b, each, {.weights = weights, .reduction = options.reduction});
}

}  // namespace troupe::losses
