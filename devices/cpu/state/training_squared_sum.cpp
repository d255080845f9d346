#include <cmath>

#include "troupe/devices/cpu/state/training.hpp"
#include "troupe/devices/cpu/state/training_rules.hpp"

namespace troupe::cpu {
namespace {

template <class A>
struct AdagradRule {
  static constexpr size_t variables = 2;
  A rate;
  bool updates_slots;
  explicit AdagradRule(const TrainingScalars& s) : rate(s.get<A>(0)), updates_slots(s.flag) {}
  void operator()(std::array<A, 2>& x, A slope) const {
    x[1] += updates_slots ? slope * slope : A(0);
    x[0] -= slope * rate / std::sqrt(x[1]);
  }
};

template <class A>
struct AdagradV2Rule {
  static constexpr size_t variables = 2;
  A rate, epsilon;
  bool updates_slots;
  explicit AdagradV2Rule(const TrainingScalars& s)
      : rate(s.get<A>(0)), epsilon(s.get<A>(1)), updates_slots(s.flag) {}
  void operator()(std::array<A, 2>& x, A slope) const {
    x[1] += updates_slots ? slope * slope : A(0);
    x[0] -= slope * rate / (std::sqrt(x[1]) + epsilon);
  }
};

template <class A>
struct AdagradDARule {
  static constexpr size_t variables = 3;
  A rate, l1, l2, step;
  explicit AdagradDARule(const TrainingScalars& s)
      : rate(s.get<A>(0)), l1(s.get<A>(1)), l2(s.get<A>(2)), step(s.get<A>(3)) {}
  void operator()(std::array<A, 3>& x, A slope) const {
    x[1] += slope;
    x[2] += slope * slope;
    auto sum = l1 > A(0) ? shrink(x[1], l1 * step) : x[1];
    x[0] = -rate * sum / (l2 * step * rate + std::sqrt(x[2]));
  }
};

template <class A>
struct ProximalAdagradRule {
  static constexpr size_t variables = 2;
  A rate, l1, l2;
  explicit ProximalAdagradRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), l1(s.get<A>(1)), l2(s.get<A>(2)) {}
  void operator()(std::array<A, 2>& x, A slope) const {
    x[1] += slope * slope;
    auto own_rate = rate / std::sqrt(x[1]);
    x[0] = proximal(x[0] - slope * own_rate, own_rate, l1, l2);
  }
};

template <class A>
struct AdadeltaRule {
  static constexpr size_t variables = 3;
  A rate, rho, epsilon;
  explicit AdadeltaRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), rho(s.get<A>(1)), epsilon(s.get<A>(2)) {}
  void operator()(std::array<A, 3>& x, A slope) const {
    x[1] = x[1] * rho + slope * slope * (A(1) - rho);
    auto step = std::sqrt(x[2] + epsilon) / std::sqrt(x[1] + epsilon) * slope;
    x[0] -= step * rate;
    x[2] = x[2] * rho + step * step * (A(1) - rho);
  }
};

template <class A>
struct RMSPropRule {
  static constexpr size_t variables = 3;
  A rate, rho, momentum, epsilon;
  explicit RMSPropRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), rho(s.get<A>(1)), momentum(s.get<A>(2)), epsilon(s.get<A>(3)) {}
  void operator()(std::array<A, 3>& x, A slope) const {
    x[1] += (slope * slope - x[1]) * (A(1) - rho);
    x[2] = x[2] * momentum + slope * rate / std::sqrt(x[1] + epsilon);
    x[0] -= x[2];
  }
};

template <class A>
struct CenteredRMSPropRule {
  static constexpr size_t variables = 4;
  A rate, rho, momentum, epsilon;
  explicit CenteredRMSPropRule(const TrainingScalars& s)
      : rate(s.get<A>(0)), rho(s.get<A>(1)), momentum(s.get<A>(2)), epsilon(s.get<A>(3)) {}
  void operator()(std::array<A, 4>& x, A slope) const {
    x[2] += (slope * slope - x[2]) * (A(1) - rho);
    x[1] += (slope - x[1]) * (A(1) - rho);
    auto variance = x[2] - x[1] * x[1];
    x[3] = x[3] * momentum + slope * rate / std::sqrt(variance + epsilon);
    x[0] -= x[3];
  }
};

/// Follow the regularized leader. The shrinkage is 0 in the first version of the op.
/// `takes_roots`: the power is -1/2, of which several elements are computed at a time.
template <class A, bool takes_roots>
struct FtrlCore {
  static constexpr size_t variables = 3;
  A rate, l1, l2, shrinkage, power;

  A raise(A x) const {
    if constexpr (takes_roots) return std::sqrt(x);
    else return std::pow(x, -power);
  }
  void operator()(std::array<A, 3>& x, A slope) const {
    auto sum = x[1] + slope * slope;
    auto raised = raise(sum);
    x[2] += slope + A(2) * shrinkage * x[0] - (raised - raise(x[1])) / rate * x[0];
    auto pull = sign_of(x[2]) * l1 - x[2];
    x[0] = std::abs(x[2]) > l1 ? pull / (raised / rate + A(2) * l2) : A(0);
    x[1] = sum;
  }
};

template <bool takes_roots>
struct Ftrl {
  static constexpr size_t power = 3;  // its place among the scalars

  template <class A>
  struct Rule : FtrlCore<A, takes_roots> {
    explicit Rule(const TrainingScalars& s)
        : FtrlCore<A, takes_roots>{s.get<A>(0), s.get<A>(1), s.get<A>(2), A(0), s.get<A>(power)} {}
  };
};

template <bool takes_roots>
struct FtrlV2 {
  static constexpr size_t power = 4;

  template <class A>
  struct Rule : FtrlCore<A, takes_roots> {
    explicit Rule(const TrainingScalars& s)
        : FtrlCore<A, takes_roots>{
              s.get<A>(0), s.get<A>(1), s.get<A>(2), s.get<A>(3), s.get<A>(power)} {}
  };
};

template <template <bool> class Version>
TrainingRule ftrl_rule(DType dtype) {
  TrainingRule rule;
  for_dtype(Floating{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    rule.loop = [](const TrainingScalars& scalars, const TrainingMemory& memory, int64_t count) {
      if (scalars.real(Version<true>::power) == -0.5)
        train_loop<Version<true>::template Rule, T>(scalars, memory, count);
      else train_loop<Version<false>::template Rule, T>(scalars, memory, count);
    };
  });
  return rule;
}

}  // namespace

void add_squared_sum_kernels(KernelCatalog& catalog) {
  for (std::string prefix : {"ResourceApply", "ResourceSparseApply"}) {
    auto add = [&](const char* name, TrainingRule (*rule)(DType), auto... more) {
      add_training_kernel(catalog, prefix + name, rule, more...);
    };
    add("Adagrad", training_rule<AdagradRule>, "update_slots");
    add("AdagradV2", training_rule<AdagradV2Rule>, "update_slots");
    add("AdagradDA", training_rule<AdagradDARule>);
    add("ProximalAdagrad", training_rule<ProximalAdagradRule>);
    add("Adadelta", training_rule<AdadeltaRule>);
    add("RMSProp", training_rule<RMSPropRule>);
    add("CenteredRMSProp", training_rule<CenteredRMSPropRule>);
    add("Ftrl", ftrl_rule<Ftrl>);
    add("FtrlV2", ftrl_rule<FtrlV2>);
  }
}

}  // namespace troupe::cpu
