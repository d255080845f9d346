#pragma once

#include <vector>

#include "troupe/graph/build/op_options.hpp"
#include "troupe/graph/build/operand.hpp"

namespace troupe {

// Learning rates as functions of the global step, with the names, formulas and defaults of
// tf.train. The result is a scalar with the dtype of `learning_rate`, float32 for a number.
// InvalidArgument names an option without a default that is left out.

struct DecayOptions {
  Required<Operand> decay_steps;
  Required<Operand> decay_rate;
  bool staircase = false;  // changes only every decay_steps
};
/// learning_rate decay_rate^(global_step / decay_steps).
Value exponential_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const DecayOptions& options);
/// learning_rate exp(-decay_rate global_step / decay_steps).
Value natural_exp_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const DecayOptions& options);
/// learning_rate / (1 + decay_rate global_step / decay_steps).
Value inverse_time_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const DecayOptions& options);

struct PolynomialDecayOptions {
  Required<Operand> decay_steps;
  Operand end_learning_rate = 0.0001;
  Operand power = 1;
  /// If true, decay_steps is multiplied by 2, 3, ... each time the global step passes it.
  bool cycle = false;
};
/// Decays from learning_rate to end_learning_rate in decay_steps, and stays there.
Value polynomial_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const PolynomialDecayOptions& options);

/// values[i] for x in (boundaries[i - 1], boundaries[i]], as float32. InvalidArgument unless there
/// is one value more than there are boundaries.
Value piecewise_constant(
    const Builder& builder, const Value& x, const std::vector<double>& boundaries,
    const std::vector<double>& values);

struct CosineDecayOptions {
  Required<Operand> decay_steps;
  double alpha = 0;
};
/// Decays along half a cosine wave to alpha learning_rate in decay_steps.
Value cosine_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const CosineDecayOptions& options);

struct CosineDecayRestartsOptions {
  Required<Operand> first_decay_steps;
  double t_mul = 2;
  double m_mul = 1;
  double alpha = 0;
};
/// cosine_decay() that starts again: each time t_mul times longer, and m_mul times as high.
Value cosine_decay_restarts(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const CosineDecayRestartsOptions& options);

struct LinearCosineDecayOptions {
  Required<Operand> decay_steps;
  double num_periods = 0.5;
  double alpha = 0;
  double beta = 0.001;
};
/// Decays linearly in decay_steps, times cosine waves: (alpha + line) waves + beta.
Value linear_cosine_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const LinearCosineDecayOptions& options);

struct NoisyLinearCosineDecayOptions {
  Required<Operand> decay_steps;
  Operand initial_variance = 1;
  Operand variance_decay = 0.55;
  double num_periods = 0.5;
  double alpha = 0;
  double beta = 0.001;
};
/// linear_cosine_decay() and noise, of variance initial_variance / (1 + step)^variance_decay.
Value noisy_linear_cosine_decay(
    const Builder& builder, const Operand& learning_rate, const Value& global_step,
    const NoisyLinearCosineDecayOptions& options);

}  // namespace troupe
