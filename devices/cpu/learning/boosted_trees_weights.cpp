#include "troupe/devices/cpu/learning/boosted_trees_weights.hpp"

#include <algorithm>

#include <Eigen/QR>

namespace troupe::cpu {
namespace {

using Vector = Eigen::Map<const Eigen::VectorXf>;

/// The least squares of a system that may have no solution, or many.
LeafWeights solve(const Eigen::MatrixXf& hessian, const Vector& gradients) {
  LeafWeights result;
  Eigen::VectorXf weights = -hessian.colPivHouseholderQr().solve(gradients);
  result.weights.assign(weights.begin(), weights.end());
  result.gain = -gradients.dot(weights);
  return result;
}

LeafWeights solve_diagonal(const Vector& gradients, const Eigen::VectorXf& hessians) {
  if ((hessians.array() == 0).any()) return solve(hessians.asDiagonal(), gradients);
  LeafWeights result;
  Eigen::ArrayXf weights = -(1 / hessians.array()) * gradients.array();
  result.weights.assign(weights.begin(), weights.end());
  result.gain = (-gradients.array() * weights).sum();
  return result;
}

}  // namespace

LeafWeight leaf_weight(float gradient, float hessian, const LeafRegularization& regularization) {
  auto l1 = regularization.l1;
  if (l1 > 0) {
    // The weight that is least is 0, unless the gradient is steeper than l1 on one side.
    if (gradient > l1) gradient -= l1;
    else if (gradient < -l1) gradient += l1;
    else return {};
  }
  constexpr float hessian_min = 1e-15f;
  if (hessian + regularization.l2 <= hessian_min) return {};
  auto weight = -gradient / (hessian + regularization.l2);
  return {weight, -gradient * weight};
}

LeafWeights leaf_weights(
    std::span<const float> gradients, std::span<const float> hessians,
    const LeafRegularization& regularization) {
  if (gradients.size() == 1) {
    auto leaf = leaf_weight(gradients[0], hessians[0], regularization);
    return {{leaf.weight}, leaf.gain};
  }
  auto size = static_cast<Eigen::Index>(gradients.size());
  Vector gradient(gradients.data(), size);
  if (hessians.size() == gradients.size()) {
    Eigen::VectorXf diagonal = Vector(hessians.data(), size).array() + regularization.l2;
    return solve_diagonal(gradient, diagonal);
  }
  Eigen::MatrixXf hessian = Eigen::Map<const Eigen::MatrixXf>(hessians.data(), size, size);
  hessian.diagonal().array() += regularization.l2;
  return solve(hessian, gradient);
}

}  // namespace troupe::cpu
