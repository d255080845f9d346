#pragma once

#include <optional>
#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/build/optimizers/optimizers.hpp"

namespace troupe {

/// The gradient of a loss with respect to a variable; none where the loss does not depend on it.
struct GradientAndVariable {
  GradientValue gradient;
  Variable variable;
};
using GradientsAndVariables = std::vector<GradientAndVariable>;

struct MinimizeOptions {
  /// Incremented by each step, after the updates.
  std::optional<Variable> global_step = {};
  /// The variables to train. Empty: those of floating-point numbers that the loss is computed from.
  std::vector<Variable> var_list = {};
  /// The gradient of the loss itself; none: ones.
  Value grad_loss = {};
};

/// Adds one training step: the gradients of `loss`, and the update of each variable on the
/// variable's device. The result is a target.
///
/// An optimizer's slots (its state for each variable) are variables too: colocated with theirs and
/// named after it ("hidden/Momentum"), as in TensorFlow. Builder::initializer() initializes them,
/// so it must be called after this. Adam updates the powers of its betas last. The updates run
/// after what the builder's nodes run after. Errors stay in the builder's status, as for any node.
Value minimize(
    const Builder& builder, const Value& loss, const Optimizer& optimizer,
    const MinimizeOptions& options = {});

/// The first half of minimize(): gradients that the caller may change before they are applied.
/// With respect to a variable that is only read by ResourceGather they are rows.
GradientsAndVariables compute_gradients(
    const Builder& builder, const Value& loss, const std::vector<Variable>& var_list = {},
    const Value& grad_loss = {});

/// The second half. A variable without a gradient is left alone; InvalidArgument where none has
/// one.
Value apply_gradients(
    const Builder& builder, const Optimizer& optimizer, const GradientsAndVariables& grads_and_vars,
    const std::optional<Variable>& global_step = {});

}  // namespace troupe
