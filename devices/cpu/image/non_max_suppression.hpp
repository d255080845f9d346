#pragma once

#include <optional>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// What an op of the kind has as inputs and outputs, beyond boxes, scores and max_output_size.
struct SuppressionOp {
  bool has_overlaps = false;                  // instead of boxes
  std::optional<float> fixed_threshold = {};  // of the overlap, where it is an attribute
  bool has_score_threshold = false, has_sigma = false, has_valid_outputs = false, pads = false;

  /// As the node's attributes have it.
  SuppressionOp of(const Node& node) const;
};

/// Calls add(name, op) for each.
template <class Add>
void for_each_suppression_op(const Add& add) {
  SuppressionOp op;
  add("NonMaxSuppression", op);
  add("NonMaxSuppressionV2", op);
  op.has_score_threshold = true;
  add("NonMaxSuppressionV3", op);
  op.has_valid_outputs = true;
  add("NonMaxSuppressionV4", op);
  op.has_sigma = true;
  add("NonMaxSuppressionV5", op);
  add("NonMaxSuppressionWithOverlaps",
      SuppressionOp{.has_overlaps = true, .has_score_threshold = true});
}

/// Of how many boxes, and which, how many may be selected.
struct SuppressionLimits {
  int64_t count, most;
  float threshold, score_threshold, sigma;

  /// Checks the inputs, of which it reads all but the boxes and their scores.
  static Result<SuppressionLimits> of(const Launch& launch, const SuppressionOp& op);
};

}  // namespace troupe::cpu
