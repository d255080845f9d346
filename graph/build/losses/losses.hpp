#pragma once

#include "troupe/graph/build/operand.hpp"

/// The losses of tf.losses, with its names, formulas and defaults.
namespace troupe::losses {

/// How the losses of a batch are reduced to one.
enum class Reduction : uint8_t {
  none,                    // the weighted losses
  sum,                     // their sum
  mean,                    // divided by the sum of the weights
  sum_over_batch_size,     // divided by the number of losses
  sum_by_nonzero_weights,  // divided by the number of weights that are not zero
};

struct LossOptions {
  /// A number, or a tensor of the losses' rank whose sizes are theirs or 1.
  Operand weights = 1;
  Reduction reduction = Reduction::sum_by_nonzero_weights;
};

/// The weighted losses, reduced; 0 where all weights are zero. InvalidArgument where the weights do
/// not broadcast.
Value compute_weighted_loss(
    const Builder& builder, const Value& losses, const LossOptions& options = {});

Value absolute_difference(
    const Builder& builder, const Value& labels, const Value& predictions,
    const LossOptions& options = {});

Value mean_squared_error(
    const Builder& builder, const Value& labels, const Value& predictions,
    const LossOptions& options = {});

/// The squared differences between the errors of all pairs of elements of a sample. Each sample,
/// along the first axis, counts with the mean of its pairs.
Value mean_pairwise_squared_error(
    const Builder& builder, const Value& labels, const Value& predictions,
    const Operand& weights = 1);

struct CosineDistanceOptions {
  int32_t axis = -1;
  Operand weights = 1;
  Reduction reduction = Reduction::sum_by_nonzero_weights;
};
/// 1 - the cosine of the angle along an axis, of vectors that have length 1 already.
Value cosine_distance(
    const Builder& builder, const Value& labels, const Value& predictions,
    const CosineDistanceOptions& options);

/// max(0, 1 - (2 labels - 1) logits), for labels 0 and 1.
Value hinge_loss(
    const Builder& builder, const Value& labels, const Value& logits,
    const LossOptions& options = {});

struct HuberLossOptions {
  double delta = 1;
  Operand weights = 1;
  Reduction reduction = Reduction::sum_by_nonzero_weights;
};
/// Quadratic for differences up to delta, linear beyond.
Value huber_loss(
    const Builder& builder, const Value& labels, const Value& predictions,
    const HuberLossOptions& options = {});

struct LogLossOptions {
  double epsilon = 1e-7;
  Operand weights = 1;
  Reduction reduction = Reduction::sum_by_nonzero_weights;
};
/// The cross entropy of predictions that are probabilities.
Value log_loss(
    const Builder& builder, const Value& labels, const Value& predictions,
    const LogLossOptions& options = {});

struct CrossEntropyOptions {
  double label_smoothing = 0;
  Operand weights = 1;
  Reduction reduction = Reduction::sum_by_nonzero_weights;
};
/// The cross entropy of independent classes.
Value sigmoid_cross_entropy(
    const Builder& builder, const Value& multi_class_labels, const Value& logits,
    const CrossEntropyOptions& options = {});
/// The cross entropy of exclusive classes, with one-hot labels.
Value softmax_cross_entropy(
    const Builder& builder, const Value& onehot_labels, const Value& logits,
    const CrossEntropyOptions& options = {});
/// The same, with labels that are indices of classes.
Value sparse_softmax_cross_entropy(
    const Builder& builder, const Value& labels, const Value& logits,
    const LossOptions& options = {});

}  // namespace troupe::losses
