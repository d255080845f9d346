#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace troupe::cpu {

/// Whether a gain counts as greater than, or as equal to, another one.
inline bool is_gain_larger(float a, float b) { return a - b >= 1e-15f; }
inline bool are_gains_equal(float a, float b) { return std::abs(a - b) < 1e-15f; }

struct LeafRegularization {
  float l1 = 0;  // of a single logit
  float l2 = 0;
};

/// What a leaf adds to the logits, and how much that takes from the loss.
struct LeafWeights {
  std::vector<float> weights;
  float gain = 0;
};

/// The weights that make the loss of a leaf least, given the sums of the gradients and hessians of
/// its examples. There are as many hessians as gradients, which are the diagonal, or the square of
/// that for all of the matrix.
LeafWeights leaf_weights(
    std::span<const float> gradients, std::span<const float> hessians,
    const LeafRegularization& regularization);

/// The same of a single logit.
struct LeafWeight {
  float weight = 0;
  float gain = 0;
};
LeafWeight leaf_weight(float gradient, float hessian, const LeafRegularization& regularization);

}  // namespace troupe::cpu
