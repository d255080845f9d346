#pragma once

#include <variant>
#include <vector>

#include "troupe/graph/build/gradients.hpp"

namespace troupe {

// Update rules for a variable w with the gradient g of the loss. Names, rules and defaults are
// those of TensorFlow's optimizers. If `rate` is set, it replaces learning_rate: a scalar that each
// step computes.

/// w <- w - learning_rate g.
struct GradientDescent {
  double learning_rate = 0.01;
  Value rate = {};
};

/// a <- momentum a + g; w <- w - learning_rate a, or with Nesterov's look ahead
/// w <- w - learning_rate (g + momentum a).
struct Momentum {
  double learning_rate = 0.01;
  double momentum = 0.9;
  bool use_nesterov = false;
  Value rate = {};
};

/// m and v are moving averages of g and g^2, corrected for their initial bias; w <- w -
/// learning_rate m / (sqrt(v) + epsilon).
struct Adam {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  Value rate = {};
};

using Optimizer = std::variant<GradientDescent, Momentum, Adam>;

/// Adds one training step: the gradients of `loss`, and the update of each variable on the
/// variable's device. Trains the given variables, or all that the loss depends on. The result is a
/// target.
///
/// An optimizer's slots (its state for each variable) are variables too: colocated with theirs and
/// named after it ("hidden/Momentum"). Builder::initializer() initializes them, so it must be
/// called after this. Adam updates the powers of its betas last. Errors stay in the builder's
/// status, as for any node.
Value minimize(
    const Builder& builder, const Value& loss, const Optimizer& optimizer,
    std::vector<Variable> variables = {});

/// The second half of minimize(): updates each variable by a gradient that the caller has made.
Value apply_gradients(
    const Builder& builder, const Optimizer& optimizer, const std::vector<Variable>& variables,
    const Values& gradients);

/// As apply_gradients(), of gradients that may be of some rows (sparse_gradients()).
Value apply_sparse_gradients(
    const Builder& builder, const Optimizer& optimizer, const std::vector<Variable>& variables,
    const std::vector<GradientValue>& gradients);

}  // namespace troupe
