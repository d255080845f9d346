#pragma once

#include "troupe/graph/build/operand.hpp"

namespace troupe::nn {

/// The cross entropy of softmax(logits) and labels that are probabilities, along an axis. No
/// gradient passes to the labels.
Value softmax_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits, int axis = -1);

/// The same, with a gradient to the labels.
Value softmax_cross_entropy_with_logits_v2(
    const Builder& builder, const Value& labels, const Value& logits, int axis = -1);

/// The same along the last axis, with labels that are indices of classes.
Value sparse_softmax_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits);

/// The cross entropy of sigmoid(logits) and labels, computed without overflow.
Value sigmoid_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits);

/// The same, with positive labels weighted by `pos_weight`.
Value weighted_cross_entropy_with_logits(
    const Builder& builder, const Value& labels, const Value& logits, const Operand& pos_weight);

/// The negative log-likelihood of counts of a Poisson process with the logarithm of a rate. The
/// full loss also has Stirling's approximation of log(targets!), for targets above 1.
Value log_poisson_loss(
    const Builder& builder, const Value& targets, const Value& log_input,
    bool compute_full_loss = false);

}  // namespace troupe::nn
