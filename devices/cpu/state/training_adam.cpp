#include <algorithm>
#include <cmath>

#include "troupe/devices/cpu/state/training.hpp"

namespace troupe::cpu {
namespace {

template <class A>
struct AdamRule {
  static constexpr size_t variables = 3;
  A rate, beta1, beta2, epsilon;
  bool nesterov;
  explicit AdamRule(const TrainingScalars& s)
      : rate(s.get<A>(2) * std::sqrt(A(1) - s.get<A>(1)) / (A(1) - s.get<A>(0))),
        beta1(s.get<A>(3)),
        beta2(s.get<A>(4)),
        epsilon(s.get<A>(5)),
        nesterov(s.flag) {}
  void operator()(std::array<A, 3>& x, A slope) const {
    x[1] += (slope - x[1]) * (A(1) - beta1);
    x[2] += (slope * slope - x[2]) * (A(1) - beta2);
    auto direction = nesterov ? slope * (A(1) - beta1) + beta1 * x[1] : x[1];
    x[0] -= direction * rate / (std::sqrt(x[2]) + epsilon);
  }
};

template <class A>
struct AmsgradRule {
  static constexpr size_t variables = 4;
  A rate, beta1, beta2, epsilon;
  explicit AmsgradRule(const TrainingScalars& s)
      : rate(s.get<A>(2) * std::sqrt(A(1) - s.get<A>(1)) / (A(1) - s.get<A>(0))),
        beta1(s.get<A>(3)),
        beta2(s.get<A>(4)),
        epsilon(s.get<A>(5)) {}
  void operator()(std::array<A, 4>& x, A slope) const {
    x[1] += (slope - x[1]) * (A(1) - beta1);
    x[2] += (slope * slope - x[2]) * (A(1) - beta2);
    x[3] = std::max(x[3], x[2]);
    x[0] -= x[1] * rate / (std::sqrt(x[3]) + epsilon);
  }
};

template <class A>
struct AdaMaxRule {
  static constexpr size_t variables = 3;
  A rate, beta1, beta2, epsilon;
  explicit AdaMaxRule(const TrainingScalars& s)
      : rate(s.get<A>(1) / (A(1) - s.get<A>(0))),
        beta1(s.get<A>(2)),
        beta2(s.get<A>(3)),
        epsilon(s.get<A>(4)) {}
  void operator()(std::array<A, 3>& x, A slope) const {
    x[1] += (slope - x[1]) * (A(1) - beta1);
    x[2] = std::max(beta2 * x[2], std::abs(slope));
    x[0] -= rate * x[1] / (x[2] + epsilon);
  }
};

}  // namespace

void add_adam_kernels(KernelCatalog& catalog) {
  add_training_kernel(catalog, "ResourceApplyAdam", training_rule<AdamRule>, "use_nesterov");
  add_training_kernel(catalog, "ResourceApplyAdamWithAmsgrad", training_rule<AmsgradRule>);
  add_training_kernel(catalog, "ResourceApplyAdaMax", training_rule<AdaMaxRule>);
}

}  // namespace troupe::cpu
