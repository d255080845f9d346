#include "troupe/graph/build/layers/convolutional.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/nn/convolution.hpp"
#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::layers {

BOOST_FIXTURE_TEST_SUITE(convolutional_layers, testing::Model)

BOOST_AUTO_TEST_CASE(a_convolution_adds_its_bias_to_each_channel) {
  auto y = conv2d(
      b, floats({1, 2, 2, 1}, {1, 2, 3, 4}), 2, {2, 1},
      {.activation = nn::relu,
       .kernel_initializer = constant_initializer(Tensor::of<float>({2, 1, 1, 2}, {1, -1, 1, -1})),
       .bias_initializer = constant_initializer(5.5)});
  initialize();
  check(y, {9.5, 1.5, 11.5, 0});
}

BOOST_AUTO_TEST_CASE(channels_may_come_first) {
  auto images = b.placeholder(DType::float32, {Shape::unknown, 3, 4, 4});
  auto filtered = conv2d(b, images, 2, {3}, {.padding = "same", .data_format = "channels_first"});
  BOOST_TEST((filtered.output.shape() == Shape{Shape::unknown, 2, 4, 4}));
  auto pooled = max_pooling2d(b, filtered, {.data_format = "channels_first"});
  BOOST_TEST((pooled.output.shape() == Shape{Shape::unknown, 2, 2, 2}));
  BOOST_TEST(b.status().to_string() == "Ok");
}

BOOST_AUTO_TEST_CASE(a_transposed_convolution_knows_its_size_at_the_step) {
  auto images = b.placeholder(DType::float32, {Shape::unknown, Shape::unknown, 2, 1});
  auto y = conv2d_transpose(
      b, images, 1, {3, 2},
      {.strides = {2},
       .kernel_initializer = ones_initializer(),
       .bias_initializer = zeros_initializer()});
  initialize();
  auto made = fetch(y, {{images, Tensor::of<float>({1, 1, 2, 1}, {1, 10})}});
  BOOST_TEST((made.shape() == Shape{1, 3, 4, 1}));
  check(
      y, {1, 1, 10, 10, 1, 1, 10, 10, 1, 1, 10, 10},
      {{images, Tensor::of<float>({1, 1, 2, 1}, {1, 10})}});
}

BOOST_AUTO_TEST_CASE(a_separable_convolution_has_two_kernels) {
  auto image = linspace({1, 4, 4, 2}, -1, 0.5);
  auto depthwise = linspace({2, 2, 2, 2}, -0.5, 0.7), pointwise = linspace({1, 1, 4, 2}, -1, 1);
  auto y = separable_conv2d(
      b, image, 2, {2, 2},
      {.depth_multiplier = 2,
       .depthwise_initializer = constant_initializer(fetch(depthwise)),
       .pointwise_initializer = constant_initializer(fetch(pointwise)),
       .bias_initializer = ones_initializer()});
  auto expected = nn::separable_conv2d(b, image, depthwise, pointwise, {.padding = "VALID"}) + 1.0;
  initialize();
  auto values = fetch(expected);
  check(y, {values.values<float>().begin(), values.values<float>().end()});
}

BOOST_AUTO_TEST_CASE(windows_are_pooled_by_their_maximum_or_mean) {
  auto image = floats({1, 2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8});
  check(max_pooling2d(b, image), {6, 8});
  check(average_pooling2d(b, image, {.pool_size = {1, 2}, .strides = {2}}), {1.5, 3.5});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::layers
