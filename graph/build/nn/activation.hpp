#pragma once

#include <functional>
#include <string>

#include "troupe/graph/build/builder.hpp"

/// Networks in the functions of tf.nn, with its names, formulas and defaults. Their nodes are the
/// given builder's; errors stay in its status.
namespace troupe::nn {

/// A function that a layer applies to its result.
using Activation = std::function<Value(const Builder& builder, const Value& x)>;

Value relu(const Builder& builder, const Value& x);
/// min(max(x, 0), 6).
Value relu6(const Builder& builder, const Value& x);
Value elu(const Builder& builder, const Value& x);
Value selu(const Builder& builder, const Value& x);
Value sigmoid(const Builder& builder, const Value& x);
Value tanh(const Builder& builder, const Value& x);
Value softplus(const Builder& builder, const Value& x);
Value softsign(const Builder& builder, const Value& x);
/// x sigmoid(x).
Value swish(const Builder& builder, const Value& x);
/// x where it is positive, else alpha x.
Value leaky_relu(const Builder& builder, const Value& x, double alpha = 0.2);
/// relu(x) and relu(-x), one behind the other along an axis.
Value crelu(const Builder& builder, const Value& x, int axis = -1);

/// exp(logits) / sum(exp(logits)) along an axis. The rank must be known for one that is not the
/// last.
Value softmax(const Builder& builder, const Value& logits, int axis = -1);
/// The logarithm of softmax, computed without overflow.
Value log_softmax(const Builder& builder, const Value& logits, int axis = -1);

/// Adds one number to each channel, which is the last axis, or the second in formats that begin
/// with "NC".
Value bias_add(
    const Builder& builder, const Value& value, const Value& bias,
    const std::string& data_format = "NHWC");

/// The fraction of elements that are zero, as float32.
Value zero_fraction(const Builder& builder, const Value& value);

}  // namespace troupe::nn
