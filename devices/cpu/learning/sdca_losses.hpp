#pragma once

#include <string_view>

#include "troupe/graph/types/status.hpp"

namespace troupe::cpu::sdca {

/// An example as its dual variable sees it.
struct DualStep {
  double label, weight;
  double dual;       // the variable as it is
  double score;      // the weighted sum of the features
  double curvature;  // how fast the score changes with the variable
};

/// A loss of a linear model, and its convex conjugate.
class DualLoss {
 public:
  virtual ~DualLoss() = default;

  /// The label as all below takes it: for two classes -1 or 1, which are given as 0 or 1.
  virtual Result<float> label(float given) const = 0;
  /// The dual variable that is best while those of all other examples stay.
  virtual double best_dual(const DualStep& step) const = 0;
  virtual double dual_loss(double dual, double label, double weight) const = 0;
  virtual double primal_loss(double score, double label, double weight) const = 0;
  /// The derivative of the primal loss of an example of weight 1.
  virtual double slope(double score, double label) const = 0;
  /// 1 / it is the most that the slope changes in proportion to the score.
  virtual double smoothness() const = 0;
};

/// The loss of that name; null where there is none. It lives as long as the process.
const DualLoss* find_loss(std::string_view name);

}  // namespace troupe::cpu::sdca
