#pragma once

#include <string>
#include <variant>

#include "troupe/graph/build/operand.hpp"

namespace troupe {

// Update rules for a variable w with the gradient g of the loss. Names, rules and defaults are
// those of the optimizers of tf.train; a learning rate that has no default there is 0.01. A
// learning rate, like any other number, may be a tensor that each step computes
// (learning_rate.hpp). `name` is the scope of the nodes, and what slots are named after.

/// w <- w - learning_rate g.
struct GradientDescent {
  Operand learning_rate = 0.01;
  std::string name = "GradientDescent";
};

/// Gradient descent, then the proximal step of l1 and l2 regularization.
struct ProximalGradientDescent {
  Operand learning_rate = 0.01;
  Operand l1_regularization_strength = 0;
  Operand l2_regularization_strength = 0;
  std::string name = "ProximalGradientDescent";
};

/// a <- momentum a + g; w <- w - learning_rate a, or with Nesterov's look ahead
/// w <- w - learning_rate (g + momentum a).
struct Momentum {
  Operand learning_rate = 0.01;
  Operand momentum = 0.9;
  bool use_nesterov = false;
  std::string name = "Momentum";
};

/// m and v are moving averages of g and g^2, corrected for their initial bias; w <- w -
/// learning_rate m / (sqrt(v) + epsilon). A gradient of rows decays the averages of all rows.
struct Adam {
  Operand learning_rate = 0.001;
  Operand beta1 = 0.9;
  Operand beta2 = 0.999;
  Operand epsilon = 1e-8;
  std::string name = "Adam";
};

/// a <- a + g^2; w <- w - learning_rate g / sqrt(a).
struct Adagrad {
  Operand learning_rate = 0.01;
  double initial_accumulator_value = 0.1;
  std::string name = "Adagrad";
};

/// Adagrad, then the proximal step of l1 and l2 regularization.
struct ProximalAdagrad {
  Operand learning_rate = 0.01;
  double initial_accumulator_value = 0.1;
  Operand l1_regularization_strength = 0;
  Operand l2_regularization_strength = 0;
  std::string name = "ProximalAdagrad";
};

/// Adagrad's dual averaging, for sparse linear models. `global_step` counts the steps from 0.
struct AdagradDA {
  Operand learning_rate = 0.01;
  Value global_step = {};
  double initial_gradient_squared_accumulator_value = 0.1;
  Operand l1_regularization_strength = 0;
  Operand l2_regularization_strength = 0;
  std::string name = "AdagradDA";
};

/// Scales g by the ratio of the moving averages of past updates and past gradients.
struct Adadelta {
  Operand learning_rate = 0.001;
  Operand rho = 0.95;
  Operand epsilon = 1e-8;
  std::string name = "Adadelta";
};

/// s <- decay s + (1 - decay) g^2; a <- momentum a + learning_rate g / sqrt(s + epsilon); w <- w -
/// a. If centered, the squared moving average of g is subtracted from s.
struct RMSProp {
  Operand learning_rate = 0.01;
  Operand decay = 0.9;
  Operand momentum = 0;
  Operand epsilon = 1e-10;
  bool centered = false;
  std::string name = "RMSProp";
};

/// Follow the regularized leader, with l1 and l2 regularization and shrinkage.
struct Ftrl {
  Operand learning_rate = 0.01;
  double learning_rate_power = -0.5;
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0;
  double l2_regularization_strength = 0;
  double l2_shrinkage_regularization_strength = 0;
  std::string name = "Ftrl";
};

using Optimizer = std::variant<
    GradientDescent, ProximalGradientDescent, Momentum, Adam, Adagrad, ProximalAdagrad, AdagradDA,
    Adadelta, RMSProp, Ftrl>;

}  // namespace troupe
