#include "troupe/graph/build/nn/activation.hpp"

#include <algorithm>
#include <numeric>

#include "troupe/graph/build/operand.hpp"

namespace troupe::nn {

namespace {

/// Applies an op for the last axis along any axis.
Value along(const Builder& b, const char* op, const Value& logits, int axis) {
  if (!logits.is_valid() || axis == -1) return b.op(op, {logits});
  auto rank = logits.shape().rank();
  if (rank < 0) {
    b.fail(invalid_argument("the rank must be known for an axis that is not the last"));
    return {};
  }
  auto found = find_axis(axis, rank);
  if (!found) {
    b.fail(found.status());
    return {};
  }
  if (*found == rank - 1) return b.op(op, {logits});
  std::vector<int32_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(*found)], order.back());
  auto swapped = b.op("Transpose", {logits, b.ints(order)});
  return b.op("Transpose", {b.op(op, {swapped}), b.ints(order)});
}

}  // namespace

Value relu(const Builder& b, const Value& x) { return b.op("Relu", {x}); }
Value relu6(const Builder& b, const Value& x) { return b.op("Relu6", {x}); }
Value elu(const Builder& b, const Value& x) { return b.op("Elu", {x}); }
Value selu(const Builder& b, const Value& x) { return b.op("Selu", {x}); }
Value sigmoid(const Builder& b, const Value& x) { return b.op("Sigmoid", {x}); }
Value tanh(const Builder& b, const Value& x) { return b.op("Tanh", {x}); }
Value softplus(const Builder& b, const Value& x) { return b.op("Softplus", {x}); }
Value softsign(const Builder& b, const Value& x) { return b.op("Softsign", {x}); }
Value swish(const Builder& b, const Value& x) { return b.mul(x, b.sigmoid(x)); }

Value leaky_relu(const Builder& builder, const Value& x, double alpha) {
  auto own = Operand(x).tensor(builder);
  auto is_integer = own.is_valid() && std::ranges::count(integral(), own.dtype()) > 0;
  auto features = is_integer ? builder.cast(own, DType::float32) : own;
  return builder.op("LeakyRelu", {features}, {{"alpha", alpha}});
}

Value crelu(const Builder& builder, const Value& x, int axis) {
  auto b = builder.scope("CRelu");
  return b.relu(b.op("ConcatV2", {x, b.neg(x), b.constant<int32_t>(axis)}));
}

Value softmax(const Builder& b, const Value& logits, int axis) {
  return along(b, "Softmax", logits, axis);
}

Value log_softmax(const Builder& b, const Value& logits, int axis) {
  return along(b, "LogSoftmax", logits, axis);
}

Value bias_add(
    const Builder& b, const Value& value, const Value& bias, const std::string& data_format) {
  auto is_first = data_format.starts_with("NC");
  if (!is_first && !(data_format.starts_with("N") && data_format.ends_with("C"))) {
    b.fail(invalid_argument("data_format must be of the form `N...C` or `NC...`: " + data_format));
    return {};
  }
  return b.op("BiasAdd", {value, bias}, {{"data_format", is_first ? "NCHW" : "NHWC"}});
}

Value zero_fraction(const Builder& builder, const Value& value) {
  auto b = builder.scope("zero_fraction");
  return b.reduce_mean(b.cast(b.equal(value, b.zeros_like(value)), DType::float32));
}

}  // namespace troupe::nn
