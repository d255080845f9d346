#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// What a training op has besides variables and the gradient: its scalars in the order in which it
/// declares them, as they are computed with, and its flag.
template <class A>
struct RuleScalars {
  static constexpr int most = 8;
  A at[most];
  bool flag;
};

/// -1, 0 or 1; 0 for NaN.
template <class A>
TROUPE_BOTH inline A sign_of(A x) {
  return x > A(0) ? A(1) : x < A(0) ? A(-1) : A(0);
}

/// A value drawn towards 0 by `by`, but not beyond.
template <class A>
TROUPE_BOTH inline A shrink(A x, A by) {
  auto rest = fabs(x) - by;
  return sign_of(x) * (rest < A(0) ? A(0) : rest);  // NaN stays what it is
}

/// The proximal step of a value that a gradient of that rate has moved.
template <class A>
TROUPE_BOTH inline A proximal(A moved, A rate, A l1, A l2) {
  auto shrunk = l1 > A(0) ? shrink(moved, rate * l1) : moved;
  return shrunk / (A(1) + rate * l2);
}

// How the elements x of the variables follow from those before and the gradient: a rule is called
// with them, the scalars and the gradient. The same as those of CPUs (cpu/state/training.hpp).

struct GradientDescentRule {
  static constexpr int variables = 1;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    x[0] -= s.at[0] * slope;
  }
};

struct ProximalGradientDescentRule {
  static constexpr int variables = 1;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    x[0] = proximal(x[0] - s.at[0] * slope, s.at[0], s.at[1], s.at[2]);
  }
};

struct MomentumRule {
  static constexpr int variables = 2;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[0], momentum = s.at[1];
    auto sum = x[1] * momentum + slope;
    x[0] -= s.flag ? slope * rate + sum * momentum * rate : sum * rate;
    x[1] = sum;
  }
};

struct KerasMomentumRule {
  static constexpr int variables = 2;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[0], momentum = s.at[1];
    auto step = x[1] * momentum - slope * rate;
    x[0] += s.flag ? step * momentum - slope * rate : step;
    x[1] = step;
  }
};

struct AddSignRule {
  static constexpr int variables = 2;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[0], alpha = s.at[1], decay = s.at[2], beta = s.at[3];
    x[1] = x[1] * beta + slope * (A(1) - beta);
    auto agreement = sign_of(slope) * sign_of(x[1]);
    x[0] -= rate * (alpha + decay * agreement) * slope;
  }
};

struct PowerSignRule {
  static constexpr int variables = 2;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[0], beta = s.at[3];
    x[1] = x[1] * beta + slope * (A(1) - beta);
    auto agreement = sign_of(slope) * sign_of(x[1]);
    x[0] -= rate * exp(agreement * s.at[1] * s.at[2]) * slope;
  }
};

struct AdamRule {
  static constexpr int variables = 3;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[2] * sqrt(A(1) - s.at[1]) / (A(1) - s.at[0]);
    auto beta1 = s.at[3], beta2 = s.at[4];
    x[1] += (slope - x[1]) * (A(1) - beta1);
    x[2] += (slope * slope - x[2]) * (A(1) - beta2);
    auto direction = s.flag ? slope * (A(1) - beta1) + beta1 * x[1] : x[1];
    x[0] -= direction * rate / (sqrt(x[2]) + s.at[5]);
  }
};

struct AmsgradRule {
  static constexpr int variables = 4;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[2] * sqrt(A(1) - s.at[1]) / (A(1) - s.at[0]);
    x[1] += (slope - x[1]) * (A(1) - s.at[3]);
    x[2] += (slope * slope - x[2]) * (A(1) - s.at[4]);
    x[3] = x[3] < x[2] ? x[2] : x[3];
    x[0] -= x[1] * rate / (sqrt(x[3]) + s.at[5]);
  }
};

struct AdaMaxRule {
  static constexpr int variables = 3;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[1] / (A(1) - s.at[0]);
    x[1] += (slope - x[1]) * (A(1) - s.at[2]);
    auto decayed = s.at[3] * x[2], size = fabs(slope);
    x[2] = decayed < size ? size : decayed;
    x[0] -= rate * x[1] / (x[2] + s.at[4]);
  }
};

struct AdagradRule {
  static constexpr int variables = 2;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    x[1] += s.flag ? slope * slope : A(0);
    x[0] -= slope * s.at[0] / sqrt(x[1]);
  }
};

struct AdagradV2Rule {
  static constexpr int variables = 2;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    x[1] += s.flag ? slope * slope : A(0);
    x[0] -= slope * s.at[0] / (sqrt(x[1]) + s.at[1]);
  }
};

struct AdagradDARule {
  static constexpr int variables = 3;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[0], l1 = s.at[1], l2 = s.at[2], step = s.at[3];
    x[1] += slope;
    x[2] += slope * slope;
    auto sum = l1 > A(0) ? shrink(x[1], l1 * step) : x[1];
    x[0] = -rate * sum / (l2 * step * rate + sqrt(x[2]));
  }
};

struct ProximalAdagradRule {
  static constexpr int variables = 2;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    x[1] += slope * slope;
    auto rate = s.at[0] / sqrt(x[1]);
    x[0] = proximal(x[0] - slope * rate, rate, s.at[1], s.at[2]);
  }
};

struct AdadeltaRule {
  static constexpr int variables = 3;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    auto rate = s.at[0], rho = s.at[1], epsilon = s.at[2];
    x[1] = x[1] * rho + slope * slope * (A(1) - rho);
    auto step = sqrt(x[2] + epsilon) / sqrt(x[1] + epsilon) * slope;
    x[0] -= step * rate;
    x[2] = x[2] * rho + step * step * (A(1) - rho);
  }
};

struct RMSPropRule {
  static constexpr int variables = 3;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    x[1] += (slope * slope - x[1]) * (A(1) - s.at[1]);
    x[2] = x[2] * s.at[2] + slope * s.at[0] / sqrt(x[1] + s.at[3]);
    x[0] -= x[2];
  }
};

struct CenteredRMSPropRule {
  static constexpr int variables = 4;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    x[2] += (slope * slope - x[2]) * (A(1) - s.at[1]);
    x[1] += (slope - x[1]) * (A(1) - s.at[1]);
    auto variance = x[2] - x[1] * x[1];
    x[3] = x[3] * s.at[2] + slope * s.at[0] / sqrt(variance + s.at[3]);
    x[0] -= x[3];
  }
};

/// Follow the regularized leader.
template <class A>
TROUPE_BOTH inline void follow_leader(
    A* x, A slope, const RuleScalars<A>& s, A shrinkage, A power) {
  auto rate = s.at[0], l1 = s.at[1], l2 = s.at[2];
  auto raise = [power](A sum) { return power == A(-0.5) ? sqrt(sum) : pow(sum, -power); };
  auto sum = x[1] + slope * slope;
  auto raised = raise(sum);
  x[2] += slope + A(2) * shrinkage * x[0] - (raised - raise(x[1])) / rate * x[0];
  auto pull = sign_of(x[2]) * l1 - x[2];
  x[0] = fabs(x[2]) > l1 ? pull / (raised / rate + A(2) * l2) : A(0);
  x[1] = sum;
}

struct FtrlRule {
  static constexpr int variables = 3;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    follow_leader(x, slope, s, A(0), s.at[3]);
  }
};

struct FtrlV2Rule {
  static constexpr int variables = 3;
  template <class A>
  TROUPE_BOTH static void apply(A* x, A slope, const RuleScalars<A>& s) {
    follow_leader(x, slope, s, s.at[3], s.at[4]);
  }
};

}  // namespace troupe::cuda
