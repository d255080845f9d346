#include "troupe/graph/build/optimizers/learning_rate.hpp"

#include <functional>

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe {

namespace {

/// Compares the rates at the steps 0, 3, 7, 10 and 25.
void check_rates(
    const std::function<Value(const Builder&, const Value& step)>& schedule,
    const std::vector<double>& expected) {
  testing::Model m;
  auto step = m.b.placeholder(DType::int64, {});
  auto rate = schedule(m.b, step);
  const int64_t steps[] = {0, 3, 7, 10, 25};
  for (size_t i = 0; i < expected.size(); ++i)
    m.check(rate, {expected[i]}, {{step, Tensor::scalar(steps[i])}});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(learning_rate)

BOOST_AUTO_TEST_CASE(exponential_decay_multiplies_by_the_rate) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return exponential_decay(b, 0.5, step, {.decay_steps = 10, .decay_rate = 0.8});
      },
      {0.5, 0.46762422, 0.42769384, 0.40000001, 0.28621671});
  check_rates(
      [](const Builder& b, const Value& step) {
        return exponential_decay(
            b, 0.5, step, {.decay_steps = 10, .decay_rate = 0.8, .staircase = true});
      },
      {0.5, 0.5, 0.5, 0.40000001, 0.32000002});
}

BOOST_AUTO_TEST_CASE(natural_exp_decay_is_exponential) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return natural_exp_decay(b, 0.5, step, {.decay_steps = 10, .decay_rate = 0.8});
      },
      {0.5, 0.39331391, 0.28560454, 0.22466448, 0.067667641});
  check_rates(
      [](const Builder& b, const Value& step) {
        return natural_exp_decay(
            b, 0.5, step, {.decay_steps = 10, .decay_rate = 0.8, .staircase = true});
      },
      {0.5, 0.5, 0.5, 0.22466448, 0.10094826});
}

BOOST_AUTO_TEST_CASE(inverse_time_decay_divides_by_the_time) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return inverse_time_decay(b, 0.5, step, {.decay_steps = 10, .decay_rate = 0.8});
      },
      {0.5, 0.40322581, 0.3205128, 0.27777776, 0.16666666});
  check_rates(
      [](const Builder& b, const Value& step) {
        return inverse_time_decay(
            b, 0.5, step, {.decay_steps = 10, .decay_rate = 0.8, .staircase = true});
      },
      {0.5, 0.5, 0.5, 0.27777779, 0.1923077});
}

BOOST_AUTO_TEST_CASE(polynomial_decay_ends_or_starts_again) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return polynomial_decay(
            b, 0.5, step, {.decay_steps = 10, .end_learning_rate = 0.1, .power = 2});
      },
      {0.5, 0.296, 0.13600001, 0.1, 0.1});
  check_rates(
      [](const Builder& b, const Value& step) {
        return polynomial_decay(
            b, 0.5, step,
            {.decay_steps = 10, .end_learning_rate = 0.1, .power = 0.5, .cycle = true});
      },
      {0.5, 0.43466401, 0.31908903, 0.1, 0.26329932});
}

BOOST_AUTO_TEST_CASE(a_boundary_belongs_to_the_piece_before_it) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return piecewise_constant(b, step, {3, 10}, {0.5, 0.25, 0.125});
      },
      {0.5, 0.5, 0.25, 0.25, 0.125});
}

BOOST_AUTO_TEST_CASE(cosine_decay_ends_at_alpha) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return cosine_decay(b, 0.5, step, {.decay_steps = 10, .alpha = 0.1});
      },
      {0.5, 0.40725169, 0.14274833, 0.050000001, 0.050000001});
}

BOOST_AUTO_TEST_CASE(cosine_decay_restarts_longer_and_lower) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return cosine_decay_restarts(
            b, 0.5, step, {.first_decay_steps = 10, .t_mul = 2, .m_mul = 0.5, .alpha = 0.1});
      },
      {0.5, 0.40725169, 0.14274833, 0.27500001, 0.082950488});
  check_rates(
      [](const Builder& b, const Value& step) {
        return cosine_decay_restarts(
            b, 0.5, step, {.first_decay_steps = 10, .t_mul = 1, .m_mul = 0.5, .alpha = 0.1});
      },
      {0.5, 0.40725169, 0.14274833, 0.27500001, 0.10625});
}

BOOST_AUTO_TEST_CASE(linear_cosine_decay_waves) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return linear_cosine_decay(
            b, 0.5, step, {.decay_steps = 10, .num_periods = 1.5, .alpha = 0.1, .beta = 0.01});
      },
      {0.55500001, 0.01478868, 0.20010562, 0.0049999999, 0.0049999999});
}

BOOST_AUTO_TEST_CASE(noisy_linear_cosine_decay_without_variance_has_no_noise) {
  check_rates(
      [](const Builder& b, const Value& step) {
        return noisy_linear_cosine_decay(
            b, 0.5, step,
            {.decay_steps = 10,
             .initial_variance = 0,
             .num_periods = 1.5,
             .alpha = 0.1,
             .beta = 0.01});
      },
      {0.55500001, 0.01478868, 0.20010562, 0.0049999999, 0.0049999999});
}

BOOST_AUTO_TEST_CASE(noise_has_the_variance_of_its_step) {
  testing::Model m;
  auto step = m.b.placeholder(DType::int64, {});
  auto rate = noisy_linear_cosine_decay(
      m.b, 1, step, {.decay_steps = 1000, .initial_variance = 4, .variance_decay = 1});
  double squares = 0;
  constexpr int draws = 400;
  for (int i = 0; i < draws; ++i) {
    auto noise = m.fetch(rate, {{step, Tensor::scalar<int64_t>(3)}}).value<float>() - 0.998;
    squares += noise * noise;
  }
  // Four standard deviations of the mean of that many squares.
  BOOST_CHECK_SMALL(squares / draws - 1, 4 * std::sqrt(2.0 / draws));
}

BOOST_AUTO_TEST_CASE(a_schedule_of_a_double_is_a_double) {
  testing::Model m;
  auto rate = exponential_decay(
      m.b, m.b.constant(0.5), m.b.constant<int64_t>(10), {.decay_steps = 10, .decay_rate = 0.8});
  BOOST_CHECK_SMALL(m.fetch(rate).value<double>() - 0.4, 1e-15);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
