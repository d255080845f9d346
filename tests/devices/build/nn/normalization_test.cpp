#include "troupe/graph/build/nn/normalization.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::nn {

namespace {

struct ToNormalize : testing::Model {
  Value x = floats({2, 3}, {1, -2, 0.5, 3, 0.25, -1});
  Value cube = linspace({2, 3, 4}, -1.5, 2);
  Value images = linspace({2, 4, 4, 2}, -1, 2);
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(normalization, ToNormalize)

BOOST_AUTO_TEST_CASE(moments_are_those_along_axes) {
  auto [mean, variance] = moments(b, cube, {0, 2});
  BOOST_TEST((mean.shape() == Shape{3}));
  check(mean, {-0.3586956, 0.25, 0.85869569});
  check(variance, {0.86259449, 0.86259449, 0.86259449});
  BOOST_TEST((moments(b, cube, {0, 2}, /*keep_dims=*/true).mean.shape() == Shape{1, 3, 1}));
}

BOOST_AUTO_TEST_CASE(weights_count_elements_more_than_once) {
  auto [mean, variance] = weighted_moments(b, x, {1}, floats({1, 3}, {1, 3, 0}));
  check(mean, {-1.25, 0.9375});
  check(variance, {1.6875, 1.4179688});
}

BOOST_AUTO_TEST_CASE(a_batch_is_normalized_by_given_moments) {
  auto y = batch_normalization(
      b, x, {floats({3}, {0.5, 0, -1}), floats({3}, {1, 2, 4})},
      {.offset = floats({3}, {0.1, 0.2, 0.3}),
       .scale = floats({3}, {2, 1, 0.5}),
       .variance_epsilon = 0.01});
  check(y, {1.0950372, -1.2106912, 0.67453218, 5.0751858, 0.3763364, 0.30000001});
}

BOOST_AUTO_TEST_CASE(images_are_normalized_by_one_node) {
  auto norm = fused_batch_norm(b, images, floats({2}, {2, 1}), floats({2}, {0.1, 0.2}));
  check(
      b.op("Slice", {b.reshape(norm.y, b.ints({-1})), b.ints({0}), b.ints({6})}),
      {-3.2553191, -1.4776596, -3.038847, -1.3694234, -2.8223746, -1.2611874});
  check(norm.moments.mean, {0.47619048, 0.52380955});
  check(norm.moments.variance, {0.798186, 0.798186});

  auto same = fused_batch_norm(
      b, images, floats({2}, {2, 1}), floats({2}, {0.1, 0.2}),
      {.moments = Moments{floats({2}, {0, 1}), floats({2}, {1, 4})}, .epsilon = 0});
  // The least epsilon is 1.001e-5.
  check(b.op("Slice", {b.reshape(same.y, b.ints({-1})), b.ints({0}), b.ints({1})}), {-1.89999});
}

BOOST_AUTO_TEST_CASE(a_norm_becomes_one) {
  check(
      l2_normalize(b, x, {{1}}),
      {0.43643576, -0.87287152, 0.21821788, 0.94573247, 0.078811042, -0.31524417});
  check(b.op("L2Loss", {l2_normalize(b, x)}), {0.5});
  check(l2_loss(b, x), {7.65625});
}

BOOST_AUTO_TEST_CASE(a_response_is_normalized_by_its_neighbours) {
  auto pixel = floats({1, 1, 1, 2}, {-1, -0.95238096});
  check(
      local_response_normalization(
          b, pixel, {.depth_radius = 2, .bias = 1, .alpha = 0.5, .beta = 0.75}),
      {-0.60518402, -0.57636571});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::nn
