#pragma once

#include <vector>

#include "troupe/graph/build/optimizers/optimizer.hpp"

namespace troupe {

struct SynchronousOptions {
  /// Counts the updates; an int64.
  Variable global_step;
  /// How many gradients an update takes the mean of.
  int replicas_to_aggregate = 1;
  /// How many replicas there are; 0: as many. If more, the others are backups, and if fewer, they
  /// compute several gradients for an update.
  int total_replicas = 0;
  /// The number of the replica whose graph this is, which no other has.
  int replica = 0;
  /// As those of MinimizeOptions.
  std::vector<Variable> var_list = {};
  Value grad_loss = {};
};

/// What one replica of a synchronous training runs. All are targets.
struct SynchronousTraining {
  /// A step of the replica: it hands its gradients in, and waits for a token.
  Value train;
  /// Waits for the gradients, applies them, and hands out the next tokens. The chief has it run
  /// again and again, beside its own steps; a runner does it without the chief:
  ///
  ///     session.start_runner("updates", {.enqueue_ops = {training.update.node_name()}});
  Value update;
  /// Each replica runs it once, before its first step: its next gradient counts as one of the
  /// present global step. The chief runs `begin_chief` instead, before all others and once its
  /// variables have values, which hands out the first tokens.
  Value begin, begin_chief;
};

/// Adds a training by replicas that update variables by their gradients at once. Each of them
/// builds the same graph, but for its number. It adds its gradients to an accumulator beside each
/// variable, and waits for a token: the new global step, which is what its next gradients count as
/// computed at. Gradients of an earlier one are dropped. So with more replicas than an update takes
/// gradients, one that is slow or lost delays nobody.
///
/// Errors stay in the builder's status: InvalidArgument where the options do not fit each other.
/// (TensorFlow: SyncReplicasOptimizer. Paper: Chen et al., Revisiting Distributed Synchronous SGD,
/// 2016.)
SynchronousTraining minimize_synchronously(
    const Builder& builder, const Value& loss, const Optimizer& optimizer,
    const SynchronousOptions& options);

}  // namespace troupe
