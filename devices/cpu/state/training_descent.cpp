#include <cmath>

#include "troupe/devices/cpu/state/training.hpp"
#include "troupe/devices/cpu/state/training_rules.hpp"

namespace troupe::cpu {
namespace {

template <class A>
struct GradientDescentRule {
  static constexpr size_t variables = 1;
  A rate;
  explicit GradientDescentRule(const TrainingScalars& s) : rate(s.get<A>(0)) {}
  void operator()(std::array<A, 1>& x, A slope) const { x[0] -= rate * slope; }
};

template <class A>
struct ProximalGradientDescentRule {
  static constexpr size_t variables = 1;
  A rate, l1, l2;
  explicit ProximalGradientDescentRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), l1(s.get<A>(1)), l2(s.get<A>(2)) {}
  void operator()(std::array<A, 1>& x, A slope) const {
    x[0] = proximal(x[0] - rate * slope, rate, l1, l2);
  }
};

template <class A>
struct MomentumRule {
  static constexpr size_t variables = 2;
  A rate, momentum;
  bool nesterov;
  explicit MomentumRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), momentum(s.get<A>(1)), nesterov(s.flag) {}
  void operator()(std::array<A, 2>& x, A slope) const {
    auto sum = x[1] * momentum + slope;
    x[0] -= nesterov ? slope * rate + sum * momentum * rate : sum * rate;
    x[1] = sum;
  }
};

template <class A>
struct KerasMomentumRule {
  static constexpr size_t variables = 2;
  A rate, momentum;
  bool nesterov;
  explicit KerasMomentumRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), momentum(s.get<A>(1)), nesterov(s.flag) {}
  void operator()(std::array<A, 2>& x, A slope) const {
    auto step = x[1] * momentum - slope * rate;
    x[0] += nesterov ? step * momentum - slope * rate : step;
    x[1] = step;
  }
};

template <class A>
struct AddSignRule {
  static constexpr size_t variables = 2;
  A rate, alpha, decay, beta;
  explicit AddSignRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), alpha(s.get<A>(1)), decay(s.get<A>(2)), beta(s.get<A>(3)) {}
  void operator()(std::array<A, 2>& x, A slope) const {
    x[1] = x[1] * beta + slope * (A(1) - beta);
    auto agreement = sign_of(slope) * sign_of(x[1]);
    x[0] -= rate * (alpha + decay * agreement) * slope;
  }
};

template <class A>
struct PowerSignRule {
  static constexpr size_t variables = 2;
  A rate, beta, with, against;
  explicit PowerSignRule(const TrainingScalars& s)
      : rate(s.get<A>(0)),
        beta(s.get<A>(3)),
        with(std::exp(s.get<A>(1) * s.get<A>(2))),
        against(std::exp(-s.get<A>(1) * s.get<A>(2))) {}
  void operator()(std::array<A, 2>& x, A slope) const {
    x[1] = x[1] * beta + slope * (A(1) - beta);
    auto agreement = sign_of(slope) * sign_of(x[1]);
    auto scale = agreement > A(0) ? with : agreement < A(0) ? against : A(1);
    x[0] -= rate * scale * slope;
  }
};

}  // namespace

void add_descent_kernels(KernelCatalog& catalog) {
  add_training_kernel(
      catalog, "ResourceApplyGradientDescent", training_rule<GradientDescentRule, Differentiable>);
  for (auto prefix : {"ResourceApply", "ResourceSparseApply"}) {
    auto add = [&](const char* name, TrainingRule (*rule)(DType), const char* flag) {
      add_training_kernel(catalog, std::string(prefix) + name, rule, flag);
    };
    add("ProximalGradientDescent", training_rule<ProximalGradientDescentRule>, "");
    add("Momentum", training_rule<MomentumRule, Differentiable>, "use_nesterov");
    add("KerasMomentum", training_rule<KerasMomentumRule, Differentiable>, "use_nesterov");
  }
  add_training_kernel(catalog, "ResourceApplyAddSign", training_rule<AddSignRule>);
  add_training_kernel(catalog, "ResourceApplyPowerSign", training_rule<PowerSignRule>);
}

}  // namespace troupe::cpu
