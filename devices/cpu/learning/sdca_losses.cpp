#include "troupe/devices/cpu/learning/sdca_losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace troupe::cpu::sdca {
namespace {

// Newton's method doubles the digits with each step.
constexpr int newton_steps = 10;
// The conjugate of a loss outside of where it is defined.
constexpr double undefined = std::numeric_limits<double>::max();

class BinaryLoss : public DualLoss {
 public:
  Result<float> label(float given) const final {
    if (given == 0) return -1;
    if (given == 1) return 1;
    return invalid_argument(
        "Only labels of 0.0 or 1.0 are supported right now. Found example with label: " +
        std::to_string(given));
  }
};

class LogisticLoss final : public BinaryLoss {
 public:
  double best_dual(const DualStep& step) const final {
    // The variable is (1 + tanh(x)) / 2, up to its sign: so it stays between 0 and 1.
    auto dual_at = [&](double tanh_x) { return 0.5 * (1 + tanh_x) / step.label; };
    double x = 0;
    for (int i = 0; i < newton_steps; ++i) {
      auto t = std::tanh(x);
      auto value = -2 * step.label * x - step.score - step.curvature * (dual_at(t) - step.dual);
      auto slope = -2 * step.label - step.curvature * (1 - t * t) * 0.5 / step.label;
      x -= value / slope;
    }
    return dual_at(std::tanh(x));
  }
  double dual_loss(double dual, double label, double weight) const final {
    auto entropy = [](double p) { return p > 0 ? p * std::log(p) : 0; };
    return (entropy(dual * label) + entropy(1 - dual * label)) * weight;
  }
  double primal_loss(double score, double label, double weight) const final {
    auto margin = label * score;
    // The exponential of a large number would be infinite.
    auto loss = margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    return loss * weight;
  }
  double slope(double score, double label) const final {
    auto margin = label * score;
    if (margin > 0) {
      auto e = std::exp(-margin);
      return -label * e / (1 + e);
    }
    return -label / (1 + std::exp(margin));
  }
  double smoothness() const final { return 4; }
};

/// 0 or the label, where the variable would be beyond them.
double clip_dual(double dual, double label) {
  if (label * dual < 0) return 0;
  return label * dual > 1 ? label : dual;
}

class HingeLoss final : public BinaryLoss {
 public:
  double best_dual(const DualStep& step) const final {
    return clip_dual(step.dual + (step.label - step.score) / step.curvature, step.label);
  }
  double dual_loss(double dual, double label, double weight) const final {
    auto y = dual * label;
    return y < 0 || y > 1 ? undefined : -y * weight;
  }
  double primal_loss(double score, double label, double weight) const final {
    return std::max(0.0, 1 - label * score) * weight;
  }
  double slope(double score, double label) const final { return label * score < 1 ? -label : 0; }
  double smoothness() const final { return 0; }
};

/// The hinge loss with a parabola instead of its corner.
class SmoothHingeLoss final : public BinaryLoss {
 public:
  double best_dual(const DualStep& step) const final {
    auto change = (step.label - step.score - width * step.dual) / (step.curvature + width);
    return clip_dual(step.dual + change, step.label);
  }
  double dual_loss(double dual, double label, double weight) const final {
    auto y = dual * label;
    return y < 0 || y > 1 ? undefined : (-y + 0.5 * width * dual * dual) * weight;
  }
  double primal_loss(double score, double label, double weight) const final {
    auto gap = 1 - label * score;
    if (gap <= 0) return 0;
    return (gap >= width ? gap - width / 2 : gap * gap * 0.5 / width) * weight;
  }
  double slope(double score, double label) const final {
    auto gap = 1 - label * score;
    if (gap <= 0) return 0;
    return gap >= width ? -label : (score - label) / width;
  }
  double smoothness() const final { return width; }

 private:
  static constexpr double width = 1;  // of the parabola
};

class SquaredLoss final : public DualLoss {
 public:
  Result<float> label(float given) const final { return given; }
  double best_dual(const DualStep& step) const final {
    return step.dual + (step.label - step.dual - step.score) / (1 + step.curvature);
  }
  double dual_loss(double dual, double label, double weight) const final {
    return dual * (0.5 * dual - label) * weight;
  }
  double primal_loss(double score, double label, double weight) const final {
    auto error = score - label;
    return error * error * weight * 0.5;
  }
  double slope(double score, double label) const final { return score - label; }
  double smoothness() const final { return 1; }
};

class PoissonLoss final : public DualLoss {
 public:
  Result<float> label(float given) const final {
    if (!(given < 0)) return given;
    return invalid_argument(
        "Only non-negative labels can be used with the Poisson log loss. Found example with "
        "label: " +
        std::to_string(given));
  }
  double best_dual(const DualStep& step) const final {
    // The variable is label - exp(x): so it stays below the label.
    auto rest = step.label - step.dual;
    auto x = rest > 0 ? std::log(rest) : 0;
    for (int i = 0; i < newton_steps; ++i) {
      auto e = std::exp(x);
      x -= (x - step.score - step.curvature * (rest - e)) / (1 + step.curvature * e);
    }
    return step.label - std::exp(x);
  }
  double dual_loss(double dual, double label, double weight) const final {
    auto rest = label - dual;
    if (rest == 0) return 0;
    return rest < 0 ? undefined : rest * (std::log(rest) - 1) * weight;
  }
  double primal_loss(double score, double label, double weight) const final {
    return (std::exp(score) - score * label) * weight;
  }
  double slope(double score, double label) const final { return std::exp(score) - label; }
  // There is no bound; it only matters for which examples are likely.
  double smoothness() const final { return 1; }
};

}  // namespace

const DualLoss* find_loss(std::string_view name) {
  static const LogisticLoss logistic;
  static const SquaredLoss squared;
  static const HingeLoss hinge;
  static const SmoothHingeLoss smooth_hinge;
  static const PoissonLoss poisson;
  if (name == "logistic_loss") return &logistic;
  if (name == "squared_loss") return &squared;
  if (name == "hinge_loss") return &hinge;
  if (name == "smooth_hinge_loss") return &smooth_hinge;
  return name == "poisson_loss" ? &poisson : nullptr;
}

}  // namespace troupe::cpu::sdca
