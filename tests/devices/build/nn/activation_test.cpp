#include "troupe/graph/build/nn/activation.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::nn {

namespace {

struct ToActivate : testing::Model {
  Value x = floats({2, 3}, {1, -2, 0.5, 3, 0.25, -1});
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(activation, ToActivate)

BOOST_AUTO_TEST_CASE(softmax_runs_along_any_axis) {
  check(
      softmax(b, x, 0), {0.11920291, 0.095349461, 0.81757444, 0.88079703, 0.90465051, 0.18242551});
  check(
      softmax(b, x, -2), {0.11920291, 0.095349461, 0.81757444, 0.88079703, 0.90465051, 0.18242551});
  check(
      log_softmax(b, x),
      {-0.50459689, -3.5045969, -1.0045969, -0.079036258, -2.8290362, -4.0790362});
}

BOOST_AUTO_TEST_CASE(activations_are_those_of_tensorflow) {
  check(relu(b, x), {1, 0, 0.5, 3, 0.25, 0});
  check(relu6(b, x * 4.0), {4, 0, 2, 6, 1, 0});
  check(leaky_relu(b, x), {1, -0.40000001, 0.5, 3, 0.25, -0.2});
  check(crelu(b, x), {1, 0, 0.5, 0, 2, 0, 3, 0.25, 0, 0, 0, 1});
  check(swish(b, x), {0.7310586, -0.23840584, 0.31122968, 2.8577223, 0.14054413, -0.26894143});
  check(selu(b, x), {1.050701, -1.5201665, 0.52535051, 3.1521029, 0.26267526, -1.1113307});
}

BOOST_AUTO_TEST_CASE(a_leaky_relu_of_integers_is_of_floats) {
  check(leaky_relu(b, b.ints({-5, 2})), {-1, 2});
}

BOOST_AUTO_TEST_CASE(the_fraction_of_zeros_is_counted) {
  check(zero_fraction(b, relu(b, x)), {0.33333334});
}

BOOST_AUTO_TEST_CASE(a_bias_is_added_to_each_channel_of_either_format) {
  auto images = floats({1, 2, 1, 2}, {1, 2, 3, 4});
  auto bias = floats({2}, {10, 20});
  check(bias_add(b, images, bias), {11, 22, 13, 24});
  check(bias_add(b, images, bias, "NCHW"), {11, 12, 23, 24});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::nn
