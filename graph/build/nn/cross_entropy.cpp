#include "troupe/graph/build/nn/cross_entropy.hpp"

#include <numbers>

namespace troupe::nn {

namespace {

bool is_half(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

Value in_single_precision(const Builder& b, const Value& x) {
  return Operand(x).tensor(b, is_half(x.dtype()) ? DType::float32 : x.dtype());
}

Value minus_one(const Builder& b) { return b.ints({-1}); }

/// All but the last axis as one.
Value rows_of(const Builder& b, const Value& x) {
  auto rank = x.shape().rank();
  if (rank > 0 && x.shape()[rank - 1] != Shape::unknown)
    return b.reshape(x, b.ints({-1, static_cast<int32_t>(x.shape()[rank - 1])}));
  auto shape = b.op("Shape", {x});
  auto last = b.sub(b.op("Size", {shape}), b.constant<int32_t>(1));
  auto classes = b.op("Slice", {shape, b.reshape(last, b.ints({1})), b.ints({1})});
  return b.reshape(x, b.op("ConcatV2", {minus_one(b), classes, b.constant<int32_t>(0)}));
}

/// A shape without its last size.
Value outer_of(const Builder& b, const Value& shape) {
  auto count = b.sub(b.op("Size", {shape}), b.constant<int32_t>(1));
  return b.op("Slice", {shape, b.ints({0}), b.reshape(count, b.ints({1}))});
}

Value to_axis_last(const Builder& b, const Value& x, int axis) {
  std::vector<int32_t> order;
  for (int other = 0; other < x.shape().rank(); ++other)
    if (other != axis) order.push_back(other);
  order.push_back(axis);
  return b.op("Transpose", {x, b.ints(order)});
}

bool have_same_shape(const Builder& b, const Value& labels, const Value& logits) {
  if (labels.shape().is_compatible_with(logits.shape())) return true;
  b.fail(invalid_argument(
      "logits and labels must have the same shape (" + logits.shape().to_string() + " vs " +
      labels.shape().to_string() + ")"));
  return false;
}

/// Two tensors as operands of a builder.
struct LabelsAndLogits {
  LabelsAndLogits(const Builder& b, const Value& labels, const Value& logits)
      : labels(Operand(labels).tensor(b)), logits(Operand(logits).tensor(b)) {}
  bool are_valid() const { return labels.is_valid() && logits.is_valid(); }

  Value labels;
  Value logits;
};

}  // namespace

Value softmax_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits, int axis) {
  auto b = builder.scope("softmax_cross_entropy_with_logits_sg");
  return softmax_cross_entropy_with_logits_v2(b, b.op("StopGradient", {labels}), logits, axis);
}

Value softmax_cross_entropy_with_logits_v2(
    const Builder& builder, const Value& labels, const Value& logits, int axis) {
  auto b = builder.scope("softmax_cross_entropy_with_logits");
  LabelsAndLogits given(b, labels, logits);
  if (!given.are_valid()) return {};
  auto exact = in_single_precision(b, given.logits);
  auto expected = Operand(given.labels).tensor(b, exact.dtype());
  auto rank = exact.shape().rank();
  if (axis != -1) {
    auto found = rank < 0 ? invalid_argument("the rank of the logits must be known for an axis")
                          : find_axis(axis, rank);
    if (!found) {
      b.fail(found.status());
      return {};
    }
    exact = to_axis_last(b, exact, *found);
    expected = to_axis_last(b, expected, *found);
  }
  auto shape = b.op("Shape", {exact});
  if (rank != 2) {
    exact = rows_of(b, exact);
    expected = rows_of(b, expected);
  }
  auto loss = b.op("SoftmaxCrossEntropyWithLogits", {exact, expected});
  if (rank != 2) loss = b.reshape(loss, outer_of(b, shape));
  return Operand(loss).tensor(b, given.logits.dtype());
}

Value sparse_softmax_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits) {
  auto b = builder.scope("SparseSoftmaxCrossEntropyWithLogits");
  LabelsAndLogits given(b, labels, logits);
  if (!given.are_valid()) return {};
  auto rank = given.logits.shape().rank(), label_rank = given.labels.shape().rank();
  if (rank >= 0 && label_rank >= 0 && label_rank != rank - 1) {
    b.fail(invalid_argument(
        "Rank mismatch: Rank of labels (received " + std::to_string(label_rank) +
        ") should equal rank of logits minus 1 (received " + std::to_string(rank) + ")."));
    return {};
  }
  auto exact = in_single_precision(b, given.logits);
  auto numbers = given.labels;
  if (rank != 2) {
    exact = rows_of(b, exact);
    numbers = b.reshape(numbers, minus_one(b));
  }
  auto loss = b.sparse_softmax_cross_entropy(numbers, exact);
  if (rank != 2) loss = b.reshape(loss, b.op("Shape", {given.labels}));
  return Operand(loss).tensor(b, given.logits.dtype());
}

Value sigmoid_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits) {
  auto b = builder.scope("logistic_loss");
  LabelsAndLogits given(b, labels, logits);
  if (!given.are_valid() || !have_same_shape(b, given.labels, given.logits)) return {};
  return b.op("Softplus", {given.logits}) - given.logits * given.labels;
}

Value weighted_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits, const Operand& pos_weight) {
  auto b = builder.scope("logistic_loss");
  LabelsAndLogits given(b, labels, logits);
  if (!given.are_valid() || !have_same_shape(b, given.labels, given.logits)) return {};
  auto dtype = given.logits.dtype();
  auto weight = given.labels * (pos_weight.tensor(b, dtype) - 1.0) + 1.0;
  auto negative = b.op("Softplus", {-given.logits}) * weight;
  return (1.0 - given.labels) * given.logits + negative;
}

Value log_poisson_loss(
    const Builder& builder, const Value& targets, const Value& log_input, bool compute_full_loss) {
  auto b = builder.scope("log_poisson_loss");
  LabelsAndLogits given(b, targets, log_input);
  if (!given.are_valid() || !have_same_shape(b, given.labels, given.logits)) return {};
  const auto& x = given.logits;
  const auto& z = given.labels;
  auto loss = b.exp(x) - x * z;
  if (!compute_full_loss) return loss;
  auto stirling = z * b.log(z) - z + 0.5 * b.log(2.0 * std::numbers::pi * z);
  auto zeros = b.zeros_like(z), ones = b.ones_like(z);
  auto is_small =
      b.op("LogicalAnd", {b.op("GreaterEqual", {z, zeros}), b.op("LessEqual", {z, ones})});
  return loss + b.op("Select", {is_small, zeros, stirling});
}

}  // namespace troupe::nn
