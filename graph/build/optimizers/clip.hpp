#pragma once

#include <optional>
#include <vector>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/build/operand.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"

namespace troupe {

// Clipping of tensors by value and by norm, with the names and formulas of TensorFlow.

/// Clips the elements to [clip_value_min, clip_value_max]: numbers, or tensors that broadcast to
/// the shape of `t`.
Value clip_by_value(
    const Builder& builder, const Value& t, const Operand& clip_value_min,
    const Operand& clip_value_max);

/// Scales the tensor so that its norm, along those axes or all, is at most clip_norm.
Value clip_by_norm(
    const Builder& builder, const Value& t, const Operand& clip_norm,
    const std::optional<std::vector<int32_t>>& axes = {});

/// Scales the tensor so that its norm divided by its number of elements is at most clip_norm.
Value clip_by_average_norm(const Builder& builder, const Value& t, const Operand& clip_norm);

/// The square root of the sum of the squares of all elements. Gradients that are none count as 0;
/// InvalidArgument where all are none.
Value global_norm(const Builder& builder, const std::vector<GradientValue>& t_list);

struct ClippedByGlobalNorm {
  std::vector<GradientValue> gradients;  // rows stay rows, and none stays none
  Value norm;                            // before clipping
};
/// Scales all by one factor, so that their global norm is at most clip_norm. Where that norm is not
/// finite, all of them become NaN. `use_norm` is the norm, if it is known already.
ClippedByGlobalNorm clip_by_global_norm(
    const Builder& builder, const std::vector<GradientValue>& t_list, const Operand& clip_norm,
    const Value& use_norm = {});

/// The same between compute_gradients() and apply_gradients().
GradientsAndVariables clip_by_global_norm(
    const Builder& builder, GradientsAndVariables grads_and_vars, const Operand& clip_norm);

}  // namespace troupe
