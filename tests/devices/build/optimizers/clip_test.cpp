#include "troupe/graph/build/optimizers/clip.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/nn/embedding.hpp"
#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe {

namespace {

struct ToClip : testing::Model {
  Value x = floats({2, 3}, {1, -2, 0.5, 3, 0.25, -1});
  Value z = floats({2, 3}, {0, 1, 0, 0.2, 0.3, 0.5});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(clip, ToClip)

BOOST_AUTO_TEST_CASE(values_are_clipped_to_a_range) {
  check(clip_by_value(b, x, -1, 1), {1, -1, 0.5, 1, 0.25, -1});
}

BOOST_AUTO_TEST_CASE(a_norm_is_that_of_the_tensor_or_along_axes) {
  check(
      clip_by_norm(b, x, 2),
      {0.51110125, -1.0222025, 0.25555062, 1.5333037, 0.12777531, -0.51110125});
  check(
      clip_by_norm(b, x, 2, {{1}}),
      {0.87287152, -1.745743, 0.43643576, 1.8914649, 0.15762208, -0.63048834});
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_norm_that_is_zero_is_finite) {
  auto zeros = floats({2}, {0, 0});
  auto grads = gradients(b, {clip_by_norm(b, zeros, 2)}, {zeros});
  BOOST_REQUIRE(grads.ok());
  check((*grads)[0], {1, 1});
}

BOOST_AUTO_TEST_CASE(an_average_norm_is_divided_by_the_number_of_elements) {
  check(
      clip_by_average_norm(b, x, 0.2),
      {0.30666074, -0.61332148, 0.15333037, 0.91998225, 0.076665185, -0.30666074});
}

BOOST_AUTO_TEST_CASE(one_factor_scales_all_tensors_to_a_global_norm) {
  auto clipped = clip_by_global_norm(b, {{.tensor = x}, {}, {.tensor = z}}, 1.5);
  check(
      clipped.gradients[0].tensor,
      {0.36713904, -0.73427808, 0.18356952, 1.1014171, 0.09178476, -0.36713904});
  BOOST_TEST(!clipped.gradients[1].is_valid());
  check(clipped.gradients[2].tensor, {0, 0.36713904, 0, 0.073427811, 0.11014172, 0.18356952});
  check(clipped.norm, {4.0856457});
}

BOOST_AUTO_TEST_CASE(a_global_norm_that_is_infinite_makes_all_tensors_nan) {
  auto infinite = b.div(floats({1}, {1}), floats({1}, {0}));
  auto clipped = clip_by_global_norm(b, {{.tensor = x}, {.tensor = infinite}}, 1.5);
  for (auto value : fetch(clipped.gradients[0].tensor).values<float>())
    BOOST_TEST(std::isnan(value));
}

BOOST_AUTO_TEST_CASE(clipped_rows_stay_rows_that_an_optimizer_applies) {
  auto table = b.variable("table", floats({3, 1}, {3, 0, 4}));
  auto rows = nn::embedding_lookup(b, {table}, b.ints({0, 2}));
  auto pairs = compute_gradients(b, b.reduce_sum(b.square(rows)));  // rows of 6 and 8: norm 10
  BOOST_REQUIRE(pairs.size() == 1 && pairs[0].gradient.rows);
  auto clipped = clip_by_global_norm(b, pairs, 5);
  BOOST_REQUIRE(clipped[0].gradient.rows);
  auto step = apply_gradients(b, GradientDescent{.learning_rate = 0.1}, clipped);
  auto value = table.value();
  initialize();
  run(step);
  check(value, {2.7, 0, 3.6});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
