#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/optimizers/clip.hpp"
#include "troupe/graph/build/optimizers/learning_rate.hpp"
#include "troupe/graph/build/optimizers/moving_average.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(schedules)

BOOST_AUTO_TEST_CASE(a_rate_that_decays_needs_its_steps_and_its_rate) {
  Builder b;
  auto step = b.constant<int64_t>(0);
  exponential_decay(b, 0.1, step, {.decay_rate = 0.5});
  BOOST_TEST(
      b.take_status().to_string() ==
      "InvalidArgument: a learning rate that decays needs decay_steps");
  exponential_decay(b, 0.1, step, {.decay_steps = 10});
  BOOST_TEST(
      b.take_status().to_string() ==
      "InvalidArgument: a learning rate that decays needs decay_rate");
}

BOOST_AUTO_TEST_CASE(there_is_one_piece_more_than_boundaries) {
  Builder b;
  auto step = b.constant<int64_t>(0);
  BOOST_TEST(!piecewise_constant(b, step, {1, 2}, {0.1, 0.2}).is_valid());
  BOOST_TEST(b.take_status().message().find("boundaries") != std::string::npos);
  BOOST_TEST(!piecewise_constant(b, step, {1}, {}).is_valid());
  BOOST_TEST((b.status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(clipping_does_not_change_a_shape) {
  Builder b;
  auto x = b.zeros(DType::float32, {3});
  auto limits = b.zeros(DType::float32, {2, 3});
  BOOST_TEST(!clip_by_value(b, x, limits, 1).is_valid());
  BOOST_TEST(
      b.take_status().to_string() == "InvalidArgument: Shapes [3] and [2,3] are incompatible");
  clip_by_global_norm(b, std::vector<GradientValue>(2), 1);
  BOOST_TEST(b.status().to_string() == "InvalidArgument: a global norm needs a tensor");
}

BOOST_AUTO_TEST_CASE(a_shadow_lives_beside_its_variable) {
  Builder b;
  auto w = b.on("/job:ps/task:1")
               .container("c")
               .scope("layer")
               .variable("w", b.zeros(DType::float32, {3}));
  ExponentialMovingAverage average(0.9);
  average.apply(b.on("/job:worker/task:0"), {w});
  BOOST_TEST(b.status().to_string() == "Ok");
  auto shadow = average.average(w);
  BOOST_REQUIRE(shadow.has_value());
  BOOST_TEST(shadow->name == "layer/w/ExponentialMovingAverage");
  BOOST_TEST(shadow->name == average.average_name(w));
  const auto& handle = b.graph().node(shadow->handle.output().node);
  BOOST_TEST(handle.device == "/job:ps/task:1");
  BOOST_TEST(handle.attr<std::string>("container") == "c");
}

BOOST_AUTO_TEST_CASE(averages_are_restored_into_their_variables) {
  Builder b;
  auto w = b.variable("w", b.constant(1.0f));
  b.variable("other", b.constant(1.0f));
  ExponentialMovingAverage average(0.9);
  average.apply(b, {w});
  auto named = average.variables_to_restore(b);
  BOOST_REQUIRE_EQUAL(named.size(), 2);
  BOOST_TEST(named.at("w/ExponentialMovingAverage").name == "w");
  BOOST_TEST(named.at("other").name == "other");
}

BOOST_AUTO_TEST_CASE(a_variable_has_one_shadow) {
  Builder b;
  auto w = b.variable("w", b.constant(1.0f));
  ExponentialMovingAverage average(0.9);
  average.apply(b, {w});
  average.apply(b, {w});
  BOOST_TEST(b.status().to_string() == "InvalidArgument: Moving average already computed for: w");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
