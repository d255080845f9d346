#include "troupe/graph/build/optimizers/optimizer.hpp"

#include <array>
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/run_graph.hpp"

namespace troupe {

namespace {

using Point = std::array<double, 3>;

constexpr Point origin = {3, -2, 0.5};
constexpr Point goal = {1, 4, 0.5};
constexpr int step_count = 5;

/// Where `optimizer` has moved `origin` after some steps down the square of the distance to `goal`.
Point trained(const Optimizer& optimizer) {
  Builder b;
  auto point = [&](const Point& p) {
    return b.constant(Tensor::of<double>({3}, std::span<const double>(p)));
  };
  auto w = b.variable("w", point(origin));
  auto step = minimize(b, b.reduce_sum(b.square(w - point(goal))), optimizer);
  auto initializer = b.initializer();
  auto value = w.value();

  testing::GraphRunner runner;
  BOOST_REQUIRE_EQUAL(runner.run(b, {}, {}, {initializer}).status().to_string(), "Ok");
  for (int i = 0; i < step_count; ++i)
    BOOST_REQUIRE_EQUAL(runner.run(b, {}, {}, {step}).status().to_string(), "Ok");
  auto answer = runner.run(b, {}, {value});
  BOOST_REQUIRE_EQUAL(answer.status().to_string(), "Ok");
  auto values = (*answer)[0].values<double>();
  return {values[0], values[1], values[2]};
}

/// The same by hand: `update(w, g, i)` answers the next w, for coordinate i.
template <class F>
Point expected(F update) {
  auto w = origin;
  for (int step = 0; step < step_count; ++step)
    for (size_t i = 0; i < w.size(); ++i) w[i] = update(w[i], 2 * (w[i] - goal[i]), i);
  return w;
}

void check_close(const Point& a, const Point& b) {
  for (size_t i = 0; i < a.size(); ++i) BOOST_CHECK_SMALL(a[i] - b[i], 1e-12);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(optimizer)

BOOST_AUTO_TEST_CASE(gradient_descent_follows_the_slope) {
  check_close(
      trained(GradientDescent{.learning_rate = 0.1}),
      expected([](double w, double g, size_t) { return w - 0.1 * g; }));
}

BOOST_AUTO_TEST_CASE(momentum_keeps_rolling) {
  Point a{};
  check_close(
      trained(Momentum{.learning_rate = 0.1, .momentum = 0.8}),
      expected([&](double w, double g, size_t i) {
        a[i] = 0.8 * a[i] + g;
        return w - 0.1 * a[i];
      }));
}

BOOST_AUTO_TEST_CASE(nesterov_looks_ahead) {
  Point a{};
  check_close(
      trained(Momentum{.learning_rate = 0.1, .momentum = 0.8, .use_nesterov = true}),
      expected([&](double w, double g, size_t i) {
        a[i] = 0.8 * a[i] + g;
        return w - 0.1 * (g + 0.8 * a[i]);
      }));
}

BOOST_AUTO_TEST_CASE(adam_frees_its_means_of_the_bias_of_the_first_steps) {
  constexpr double beta1 = 0.8, beta2 = 0.9, epsilon = 1e-3;
  Adam adam{.learning_rate = 0.1, .beta1 = beta1, .beta2 = beta2, .epsilon = epsilon};
  Point m{}, v{}, steps{};
  check_close(trained(adam), expected([&](double w, double g, size_t i) {
                ++steps[i];
                m[i] = beta1 * m[i] + (1 - beta1) * g;
                v[i] = beta2 * v[i] + (1 - beta2) * g * g;
                auto rate = 0.1 * std::sqrt(1 - std::pow(beta2, steps[i])) /
                            (1 - std::pow(beta1, steps[i]));
                return w - rate * m[i] / (std::sqrt(v[i]) + epsilon);
              }));
}

BOOST_AUTO_TEST_CASE(variables_of_two_dtypes_are_trained_together) {
  Builder b;
  auto single = b.variable("single", b.constant(4.0f));
  auto twofold = b.variable("twofold", b.constant(-4.0));
  auto sum = b.cast(single, DType::float64) + twofold;
  auto step = minimize(b, b.square(sum - 2.0), Adam{.learning_rate = 0.1});
  auto initializer = b.initializer();
  Value values[] = {single.value(), twofold.value()};

  testing::GraphRunner runner;
  BOOST_REQUIRE_EQUAL(runner.run(b, {}, {}, {initializer}).status().to_string(), "Ok");
  BOOST_REQUIRE_EQUAL(runner.run(b, {}, {}, {step}).status().to_string(), "Ok");
  auto answer = runner.run(b, {}, {values[0], values[1]});
  BOOST_REQUIRE_EQUAL(answer.status().to_string(), "Ok");
  // Adam's first step is as long as its learning rate, whatever the slope.
  BOOST_CHECK_SMALL((*answer)[0].value<float>() - 4.1f, 1e-5f);
  BOOST_CHECK_SMALL((*answer)[1].value<double>() + 3.9, 1e-5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
