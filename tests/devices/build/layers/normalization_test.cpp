#include "troupe/graph/build/layers/normalization.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::layers {

namespace {

/// Two channels with the means 2 and -1, and the variances 1 and 4.
struct Normalized : testing::Model {
  Value rows = floats({2, 2}, {1, 1, 3, -3});
  Value images = b.reshape(rows, b.ints({1, 2, 1, 2}));
  BatchNormalizationOptions options{
      .momentum = 0.75,
      .epsilon = 0.0625,
      .beta_initializer = constant_initializer(10),
      .gamma_initializer = constant_initializer(2)};

  /// (x - mean) / sqrt(variance + epsilon) gamma + beta.
  static double expected(double x, double mean, double variance) {
    return (x - mean) / std::sqrt(variance + 0.0625) * 2 + 10;
  }
  std::vector<double> by_batch() const {
    return {expected(1, 2, 1), expected(1, -1, 4), expected(3, 2, 1), expected(-3, -1, 4)};
  }
  std::vector<double> by_averages(std::vector<double> mean, std::vector<double> variance) const {
    return {
        expected(1, mean[0], variance[0]), expected(1, mean[1], variance[1]),
        expected(3, mean[0], variance[0]), expected(-3, mean[1], variance[1])};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(normalization_layers, Normalized)

BOOST_AUTO_TEST_CASE(training_normalizes_by_the_batch_and_moves_the_averages) {
  options.training = true;
  auto layer = batch_normalization(b, rows, options);
  BOOST_REQUIRE_EQUAL(layer.variables.size(), 4);
  auto mean = layer.variables[2].value(), variance = layer.variables[3].value();
  auto update = b.group(layer.updates);
  initialize();
  check(layer, by_batch());
  run(update);
  check(mean, {0.5, -0.25});
  check(variance, {1, 1.75});
}

BOOST_AUTO_TEST_CASE(images_are_normalized_by_one_node_with_a_larger_populations_variance) {
  options.training = true;
  auto layer = batch_normalization(b, images, options);
  auto variance = layer.variables[3].value();
  auto update = b.group(layer.updates);
  initialize();
  check(layer, by_batch());
  run(update);
  check(variance, {0.75 + 0.25 * 2, 0.75 + 0.25 * 8});
}

BOOST_AUTO_TEST_CASE(inference_normalizes_by_the_averages) {
  options.moving_mean_initializer = constant_initializer(0.5);
  options.moving_variance_initializer = constant_initializer(3);
  auto of_rows = batch_normalization(b, rows, options);
  auto of_images = batch_normalization(b, images, options);
  BOOST_TEST(of_rows.updates.empty());
  initialize();
  check(of_rows, by_averages({0.5, 0.5}, {3, 3}));
  check(of_images, by_averages({0.5, 0.5}, {3, 3}));
}

BOOST_AUTO_TEST_CASE(a_tensor_says_whether_a_step_trains) {
  auto training = b.placeholder(DType::boolean, {});
  options.training = training;
  auto layer = batch_normalization(b, images, options);
  auto mean = layer.variables[2].value();
  auto update = b.group(layer.updates);
  initialize();
  Feed yes{training, Tensor::scalar(true)}, no{training, Tensor::scalar(false)};
  check(layer, by_batch(), {yes});
  check(layer, by_averages({0, 0}, {1, 1}), {no});
  run(update, {no});
  check(mean, {0, 0});
  run(update, {yes});
  check(mean, {0.5, -0.25});
}

BOOST_AUTO_TEST_CASE(channels_that_come_first_are_broadcast) {
  options.axis = 1;
  options.training = true;
  options.fused = false;
  auto first = b.op("Transpose", {images, b.ints({0, 3, 1, 2})});
  auto layer = batch_normalization(b, first, options);
  initialize();
  auto values = by_batch();
  check(layer, {values[0], values[2], values[1], values[3]});
}

BOOST_AUTO_TEST_CASE(no_gradient_passes_to_moving_averages) {
  auto layer = batch_normalization(b, rows, options);
  Values handles;
  for (const auto& variable : layer.variables) handles.push_back(variable.handle);
  auto grads = gradients(b, {layer.output}, handles, {.allow_unconnected = true});
  BOOST_REQUIRE(grads.ok());
  for (size_t i = 0; i < handles.size(); ++i) BOOST_TEST((*grads)[i].is_valid() == (i < 2));
}

BOOST_AUTO_TEST_CASE(each_sample_is_normalized_by_its_own_moments) {
  auto layer = layer_norm(b, floats({2, 3}, {1, 2, 3, -10, 0, 10}));
  BOOST_TEST(layer.variables[0].name == "LayerNorm/beta");
  BOOST_TEST(layer.variables[1].name == "LayerNorm/gamma");
  initialize();
  auto most = std::sqrt(1.5);
  check(layer, {-most, 0, most, -most, 0, most});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::layers
