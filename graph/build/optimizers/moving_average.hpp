#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/build/operand.hpp"

namespace troupe {

struct MovingAverageOptions {
  /// Divides the average by what a variable that starts at zero lacks; two more variables,
  /// "biased" and "local_step" behind its name, keep the biased average and the number of updates.
  bool zero_debias = true;
};

/// Adds variable <- decay variable + (1 - decay) value, on the variable's device. A target. All is
/// read after what the builder's nodes run after.
Value assign_moving_average(
    const Builder& builder, const Variable& variable, const Value& value, const Operand& decay,
    MovingAverageOptions options = {});

struct ExponentialMovingAverageOptions {
  /// The decay is at most (1 + num_updates) / (10 + num_updates), if that is given.
  Value num_updates = {};
  /// For averages of tensors, which start at zero.
  bool zero_debias = false;
  std::string name = "ExponentialMovingAverage";
};

/// Maintains a shadow of each variable, as tf.train.ExponentialMovingAverage:
/// s <- decay s + (1 - decay) v. Shadows are variables with the names that they have in
/// TensorFlow, "w/ExponentialMovingAverage".
class ExponentialMovingAverage {
 public:
  explicit ExponentialMovingAverage(Operand decay, ExponentialMovingAverageOptions options = {});

  /// Makes shadows with the initial values of the variables; the result is a target that updates
  /// them. A variable has at most one: another is InvalidArgument, kept in the builder's status.
  Value apply(const Builder& builder, const std::vector<Variable>& variables);
  /// The same of tensors, whose shapes must be known. Their shadows start at zero.
  Value apply_to_tensors(const Builder& builder, const Values& tensors);

  /// The shadow, or nothing.
  std::optional<Variable> average(const Variable& variable) const;
  std::optional<Variable> average(const Value& tensor) const;
  /// The name of a variable's shadow in graphs and checkpoints.
  std::string average_name(const Variable& variable) const;

  /// The variables by name for a saver that restores averages into the variables
  /// (train::SaverOptions): those that have one by their shadow's name, and all others of the
  /// builder.
  std::map<std::string, Variable> variables_to_restore(const Builder& builder) const;

 private:
  Operand decay_at(const Builder& builder, DType dtype) const;

  Operand decay_;
  ExponentialMovingAverageOptions options_;
  std::map<std::string, Variable> averages_;  // by names of variables and tensors
};

}  // namespace troupe
