#include "troupe/graph/build/optimizers/moving_average.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(moving_average, testing::Model)

BOOST_AUTO_TEST_CASE(a_shadow_follows_its_variable) {
  auto w = b.variable("w", floats({2}, {1, -2}));
  auto n = b.variable("n", b.constant(2.0f));
  auto add = w.assign_add(floats({2}, {0.5, 1}));
  ExponentialMovingAverage plain(0.9);
  ExponentialMovingAverage early(0.9, {.num_updates = n, .name = "Other"});
  auto update = b.group({plain.apply(b, {w}), early.apply(b, {w})});
  auto shadow = plain.average(w)->value(), other = early.average(w)->value();
  initialize();
  for (int i = 0; i < 3; ++i) {
    run(add);
    run(update);
  }
  check(shadow, {1.2805001, -1.4389999});
  check(other, {2.3359375, 0.671875});
}

BOOST_AUTO_TEST_CASE(an_average_is_of_what_the_nodes_before_it_have_assigned) {
  auto w = b.variable("w", b.constant(1.0f));
  auto change = w.assign(b.constant(3.0f));
  ExponentialMovingAverage average(0.5);
  auto update = average.apply(b.after({change}), {w});
  auto shadow = average.average(w)->value();
  initialize();
  run(update);
  check(shadow, {2});
}

BOOST_AUTO_TEST_CASE(a_tensors_average_starts_at_zero_and_can_be_freed_of_that_bias) {
  auto x = b.named("x").placeholder(DType::float32, {2});
  ExponentialMovingAverage average(0.9, {.zero_debias = true, .name = "T"});
  auto update = average.apply_to_tensors(b, {x});
  auto shadow = average.average(x)->value();
  initialize();
  for (float i = 0; i < 3; ++i) run(update, {{x, Tensor::of<float>({2}, {i + 1, -i})}});
  check(shadow, {2.0701103, -1.0701107});
  std::vector<std::string> names;
  for (const auto& variable : b.variables()) names.push_back(variable.name);
  BOOST_TEST((names == std::vector<std::string>{"x/T", "x/T/biased", "x/T/local_step"}));
}

BOOST_AUTO_TEST_CASE(an_assigned_average_is_freed_of_its_bias) {
  auto m = b.variable("m", floats({2}, {0, 0}));
  auto x = b.placeholder(DType::float32, {2});
  auto update = assign_moving_average(b, m, x, 0.8);
  auto value = m.value();
  initialize();
  for (float i = 0; i < 3; ++i) run(update, {{x, Tensor::of<float>({2}, {i + 1, -i})}});
  check(value, {2.147541, -1.147541});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
