#pragma once

#include <variant>
#include <vector>

#include "troupe/graph/builder.hpp"

namespace troupe {

// The rules by which a variable w follows the gradient g of the loss. Names, rules and defaults are
// those of TensorFlow's optimizers. Where `rate` is set, that scalar is the learning rate of a
// step.

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

/// m and v follow g and its square; w moves along m / (sqrt(v) + epsilon), both freed of the bias
/// of their first steps.
struct Adam {
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  Value rate = {};
};

using Optimizer = std::variant<GradientDescent, Momentum, Adam>;

/// Adds one training step: the gradients of `loss`, and the update of each variable, which runs
/// where the variable lives. The result is a target. Over all variables that the loss depends on,
/// or those given.
///
/// What an optimizer remembers between steps are variables too: they live beside theirs, are named
/// after it ("hidden/Momentum"), and get their first values from Builder::initializer(), which is
/// therefore to be made after this call. Adam's powers of its betas are updated after all else.
/// Errors stay in the builder's status, as for any node.
Value minimize(
    const Builder& builder, const Value& loss, const Optimizer& optimizer,
    std::vector<Variable> variables = {});

/// The second half of minimize(): updates each variable by a gradient that the caller has made.
Value apply_gradients(
    const Builder& builder, const Optimizer& optimizer, const std::vector<Variable>& variables,
    const Values& gradients);

}  // namespace troupe
