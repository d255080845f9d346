#include <cmath>

#include "troupe/tests/devices/cpu/launch_kernel.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(training)

BOOST_FIXTURE_TEST_CASE(gradient_descent_goes_down_the_slope, KernelFixture) {
  auto w = variable(vec({1, 2}));
  BOOST_TEST(
      launch("ResourceApplyGradientDescent", {w}, {Tensor::scalar(0.5f), vec({2, -2})}) == "Ok");
  BOOST_TEST(w->read()->to_string() == "float32[2] [0 3]");
  BOOST_TEST(
      launch("ResourceApplyGradientDescent", {w}, {vec({1, 2}), vec({2, -2})}) ==
      "InvalidArgument: input 1 must be a scalar, but is [2]");
  BOOST_TEST(
      launch("ResourceApplyGradientDescent", {w}, {Tensor::scalar(0.5f), vec({2})}) ==
      "InvalidArgument: the variable is float32[2], but the value is float32[1]");
}

BOOST_FIXTURE_TEST_CASE(all_floats_can_be_trained, KernelFixture) {
  for (auto dtype : floating())
    visit(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (!std::is_integral_v<T>) {
        auto w = variable(Tensor::of<T>({2}, {T(1), T(2)}));
        BOOST_TEST(
            launch(
                "ResourceApplyGradientDescent", {w},
                {Tensor::scalar(T(0.5)), Tensor::of<T>({2}, {T(2), T(-2)})}, dtype) == "Ok");
        BOOST_TEST(equal(*w->read(), Tensor::of<T>({2}, {T(0), T(3)})));
      }
    });
}

Tensor number(double value) { return Tensor::scalar(static_cast<float>(value)); }

BOOST_FIXTURE_TEST_CASE(momentum_keeps_a_share_of_earlier_steps, KernelFixture) {
  auto w = variable(vec({1, 2})), sum = variable(vec({10, 20}));
  Tensors inputs = {number(0.5), vec({2, -2}), number(0.1)};
  BOOST_TEST(launch("ResourceApplyMomentum", {w, sum}, inputs) == "Ok");
  BOOST_TEST(sum->read()->to_string() == "float32[2] [3 0]");
  BOOST_TEST(w->read()->to_string() == "float32[2] [-0.5 2]");
}

BOOST_FIXTURE_TEST_CASE(nesterov_looks_one_step_ahead, KernelFixture) {
  auto w = variable(vec({1})), sum = variable(vec({10}));
  Tensors inputs = {number(0.5), vec({2}), number(0.1)};
  Attrs nesterov = {{"use_nesterov", true}};
  BOOST_TEST(launch("ResourceApplyMomentum", {w, sum}, inputs, DType::float32, nesterov) == "Ok");
  // sum = 10 * 0.1 + 2 = 3; w = 1 - (2 + 0.1 * 3) * 0.5
  BOOST_TEST(w->read()->to_string() == "float32[1] [-0.15]");
}

/// Adam by its definition, in double.
struct Adam {
  double w, m = 0, v = 0;

  void step(int t, double gradient, bool nesterov) {
    m = 0.9 * m + 0.1 * gradient;
    v = 0.999 * v + 0.001 * gradient * gradient;
    auto rate = 0.01 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
    w -= rate * (nesterov ? 0.9 * m + 0.1 * gradient : m) / (std::sqrt(v) + 1e-8);
  }
};

BOOST_FIXTURE_TEST_CASE(adam_scales_steps_by_the_gradients_deviation, KernelFixture) {
  for (bool nesterov : {false, true}) {
    auto w = variable(vec({1, -1})), m = variable(vec({0, 0})), v = variable(vec({0, 0}));
    Adam first{1}, second{-1};
    for (int t = 1; t <= 3; ++t) {
      Tensors inputs = {
          number(std::pow(0.9, t)),
          number(std::pow(0.999, t)),
          number(0.01),
          number(0.9),
          number(0.999),
          number(1e-8),
          vec({static_cast<float>(t), -0.5f})};
      BOOST_TEST(
          launch(
              "ResourceApplyAdam", {w, m, v}, inputs, DType::float32,
              {{"use_nesterov", nesterov}}) == "Ok");
      first.step(t, t, nesterov);
      second.step(t, -0.5, nesterov);
    }
    BOOST_TEST(std::abs(w->read()->values<float>()[0] - first.w) < 1e-5);
    BOOST_TEST(std::abs(w->read()->values<float>()[1] - second.w) < 1e-5);
    BOOST_TEST(std::abs(v->read()->values<float>()[0] - first.v) < 1e-6);
  }
}

BOOST_FIXTURE_TEST_CASE(a_step_changes_all_of_its_variables_or_none, KernelFixture) {
  auto w = variable(vec({1, 2})), sum = variable(vec({10}));
  Tensors inputs = {number(0.5), vec({2, -2}), number(0.1)};
  BOOST_TEST(
      launch("ResourceApplyMomentum", {w, sum}, inputs) ==
      "InvalidArgument: the variable is float32[1], but the value is float32[2]");
  BOOST_TEST(w->read()->to_string() == "float32[2] [1 2]");
  auto unset = std::make_shared<VariableResource>(DType::float32, Shape{2});
  BOOST_TEST(
      starts_with(launch("ResourceApplyMomentum", {w, unset}, inputs), "FailedPrecondition"));
  BOOST_TEST(w->read()->to_string() == "float32[2] [1 2]");
}

BOOST_FIXTURE_TEST_CASE(one_variable_cannot_be_two, KernelFixture) {
  auto w = variable(vec({1}));
  BOOST_TEST(
      launch("ResourceApplyMomentum", {w, w}, {number(1), vec({1}), number(1)}) ==
      "InvalidArgument: one variable cannot stand for two inputs of this op");
}

BOOST_FIXTURE_TEST_CASE(
    steps_that_name_two_variables_in_either_order_do_not_wait_for_each_other, KernelFixture) {
  auto x = variable(vec({0})), y = variable(vec({0}));
  auto train = [&](auto a, auto b) {
    return std::thread([&, a, b] {
      for (int i = 0; i < 200; ++i)
        launch("ResourceApplyMomentum", {a, b}, {number(0), vec({1}), number(1)});
    });
  };
  auto one = train(x, y), two = train(y, x);
  one.join();
  two.join();
  BOOST_TEST(x->read()->to_string() == "float32[1] [200]");
  BOOST_TEST(y->read()->to_string() == "float32[1] [200]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
