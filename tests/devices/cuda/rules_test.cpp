#include "troupe/devices/cuda/state/rules.hpp"

#include <cmath>
#include <limits>

#include "troupe/tests/devices/cpu/launch_kernel.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(cuda_rules)

constexpr int64_t count = 40;

/// Positive numbers, as those of squares.
std::vector<double> numbers(int first) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(0.1 + static_cast<double>((i + first) * 37 % 101) / 101);
  return values;
}

Tensor tensor_of(const std::vector<double>& values) {
  return Tensor::of<double>({count}, std::span<const double>(values));
}

struct RuleFixture : KernelFixture {
  /// Trains variables with a CPU's kernel and with the rule. `order`: of the kernel's inputs behind
  /// the variables: -1 is the gradient, else a number of a scalar.
  template <class Rule>
  void check(
      const std::string& op, std::vector<double> scalars, std::vector<int> order, Attrs attrs = {},
      bool flag = false) {
    std::vector<std::vector<double>> x;
    std::vector<std::shared_ptr<Resource>> variables;
    std::vector<std::shared_ptr<VariableResource>> values;
    for (int i = 0; i < Rule::variables; ++i) {
      x.push_back(numbers(7 * i));
      values.push_back(variable(tensor_of(x.back())));
      variables.push_back(values.back());
    }
    auto slopes = numbers(50);
    for (size_t i = 0; i < slopes.size(); i += 2) slopes[i] = -slopes[i];
    Tensors inputs;
    for (auto place : order)
      inputs.push_back(place < 0 ? tensor_of(slopes) : scalar(op, scalars, place));
    BOOST_TEST(launch(op.c_str(), variables, inputs, DType::float64, attrs) == "Ok");
    cuda::RuleScalars<double> given{};
    std::copy(scalars.begin(), scalars.end(), given.at);
    given.flag = flag;
    for (size_t i = 0; i < count; ++i) {
      double own[4];
      for (size_t k = 0; k < x.size(); ++k) own[k] = x[k][i];
      Rule::apply(own, slopes[i], given);
      for (size_t k = 0; k < x.size(); ++k)
        BOOST_REQUIRE_CLOSE(values[k]->read()->data<double>()[i], own[k], 1e-9);
    }
  }

 private:
  static Tensor scalar(const std::string& op, const std::vector<double>& scalars, int place) {
    auto value = scalars[static_cast<size_t>(place)];
    if (op.ends_with("AdagradDA") && place == 3) return Tensor::scalar(static_cast<int64_t>(value));
    return Tensor::scalar(value);
  }
};

BOOST_FIXTURE_TEST_CASE(rules_change_variables_as_those_of_a_cpu, RuleFixture) {
  check<cuda::GradientDescentRule>("ResourceApplyGradientDescent", {0.1}, {0, -1});
  check<cuda::ProximalGradientDescentRule>(
      "ResourceApplyProximalGradientDescent", {0.1, 0.2, 0.3}, {0, 1, 2, -1});
  for (bool nesterov : {false, true}) {
    Attrs attrs = {{"use_nesterov", nesterov}};
    check<cuda::MomentumRule>("ResourceApplyMomentum", {0.1, 0.9}, {0, -1, 1}, attrs, nesterov);
    check<cuda::KerasMomentumRule>(
        "ResourceApplyKerasMomentum", {0.1, 0.9}, {0, -1, 1}, attrs, nesterov);
    check<cuda::AdamRule>(
        "ResourceApplyAdam", {0.81, 0.998, 0.01, 0.9, 0.999, 1e-8}, {0, 1, 2, 3, 4, 5, -1}, attrs,
        nesterov);
  }
  check<cuda::AddSignRule>("ResourceApplyAddSign", {0.1, 1.5, 0.5, 0.9}, {0, 1, 2, 3, -1});
  check<cuda::PowerSignRule>("ResourceApplyPowerSign", {0.1, 1.5, 0.5, 0.9}, {0, 1, 2, 3, -1});
  check<cuda::AmsgradRule>(
      "ResourceApplyAdamWithAmsgrad", {0.81, 0.998, 0.01, 0.9, 0.999, 1e-8},
      {0, 1, 2, 3, 4, 5, -1});
  check<cuda::AdaMaxRule>(
      "ResourceApplyAdaMax", {0.81, 0.01, 0.9, 0.999, 1e-8}, {0, 1, 2, 3, 4, -1});
}

BOOST_FIXTURE_TEST_CASE(rules_with_sums_of_squares_are_those_of_a_cpu, RuleFixture) {
  for (bool updates : {false, true}) {
    Attrs attrs = {{"update_slots", updates}};
    check<cuda::AdagradRule>("ResourceApplyAdagrad", {0.1}, {0, -1}, attrs, updates);
    check<cuda::AdagradV2Rule>("ResourceApplyAdagradV2", {0.1, 0.01}, {0, 1, -1}, attrs, updates);
  }
  check<cuda::AdagradDARule>("ResourceApplyAdagradDA", {0.1, 0.05, 0.3, 4}, {-1, 0, 1, 2, 3});
  check<cuda::ProximalAdagradRule>("ResourceApplyProximalAdagrad", {0.1, 0.2, 0.3}, {0, 1, 2, -1});
  check<cuda::AdadeltaRule>("ResourceApplyAdadelta", {0.1, 0.95, 1e-4}, {0, 1, 2, -1});
  check<cuda::RMSPropRule>("ResourceApplyRMSProp", {0.1, 0.9, 0.5, 1e-4}, {0, 1, 2, 3, -1});
  check<cuda::CenteredRMSPropRule>(
      "ResourceApplyCenteredRMSProp", {0.01, 0.9, 0.5, 2.0}, {0, 1, 2, 3, -1});
  for (double power : {-0.5, -0.3}) {
    check<cuda::FtrlRule>("ResourceApplyFtrl", {0.1, 0.2, 0.3, power}, {-1, 0, 1, 2, 3});
    check<cuda::FtrlV2Rule>(
        "ResourceApplyFtrlV2", {0.1, 0.2, 0.3, 0.4, power}, {-1, 0, 1, 2, 3, 4});
  }
}

BOOST_AUTO_TEST_CASE(proximal_rules_hide_no_nan) {
  auto nan = std::numeric_limits<double>::quiet_NaN();
  cuda::RuleScalars<double> scalars{};
  for (int i = 0; i < 3; ++i) scalars.at[i] = 0.5;
  double x[] = {nan};
  cuda::ProximalGradientDescentRule::apply(x, 1.0, scalars);
  BOOST_TEST(std::isnan(x[0]));
  BOOST_TEST(cuda::shrink(0.25, 0.5) == 0);
  BOOST_TEST(cuda::shrink(-0.75, 0.5) == -0.25);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
