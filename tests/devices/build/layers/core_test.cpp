#include "troupe/graph/build/layers/core.hpp"

#include <boost/test/unit_test.hpp>

#include "troupe/tests/devices/build/model_fixture.hpp"

namespace troupe::layers {

namespace {

Initializer values_initializer(const Shape& shape, const std::vector<float>& values) {
  return constant_initializer(Tensor::of<float>(shape, values));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(core_layers, testing::Model)

BOOST_AUTO_TEST_CASE(a_dense_layer_multiplies_adds_and_activates) {
  auto y = dense(
      b, floats({2, 2}, {1, 2, -3, 4}), 2,
      {.activation = nn::relu,
       .kernel_initializer = values_initializer({2, 2}, {1, 2, 3, 4}),
       .bias_initializer = values_initializer({2}, {-8, 0.5})});
  initialize();
  check(y, {0, 10.5, 1, 10.5});
}

BOOST_AUTO_TEST_CASE(a_dense_layer_takes_inputs_of_any_rank) {
  auto x = b.placeholder(DType::float32, {Shape::unknown, 2, 2});
  auto y = dense(
      b, x, 1, {.use_bias = false, .kernel_initializer = values_initializer({2, 1}, {10, 1})});
  initialize();
  auto fed = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4});
  check(y, {12, 34}, {{x, fed}});
  BOOST_TEST((fetch(y, {{x, fed}}).shape() == Shape{1, 2, 1}));
}

BOOST_AUTO_TEST_CASE(elements_are_dropped_only_in_training) {
  auto x = floats({4}, {1, 2, 3, 4});
  auto training = b.placeholder(DType::boolean, {});
  auto fixed = dropout(b, x, {.seed = 1});
  auto chosen = dropout(b, x, {.rate = 0.75, .seed = 1, .training = training});
  check(fixed, {1, 2, 3, 4});
  check(chosen, {1, 2, 3, 4}, {{training, Tensor::scalar(false)}});
  auto dropped = fetch(chosen, {{training, Tensor::scalar(true)}}).values<float>()[1];
  BOOST_TEST((dropped == 0 || dropped == 8));
}

BOOST_AUTO_TEST_CASE(all_axes_but_the_first_are_flattened) {
  auto x = b.placeholder(DType::float32, {Shape::unknown, 2, 1, 2});
  auto fed = Tensor::of<float>({1, 2, 1, 2}, {1, 2, 3, 4});
  auto flat = flatten(b, x);
  BOOST_TEST((flat.output.shape() == Shape{Shape::unknown, 4}));
  check(flat, {1, 2, 3, 4}, {{x, fed}});
  check(flatten(b, x, "channels_first"), {1, 3, 2, 4}, {{x, fed}});

  auto unknown = b.placeholder(DType::float32, {Shape::unknown, Shape::unknown, 2});
  BOOST_TEST((
      fetch(flatten(b, unknown), {{unknown, Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4})}}).shape() ==
      Shape{1, 4}));
  auto empty = b.placeholder(DType::float32, {Shape::unknown, 0});
  BOOST_TEST(
      (fetch(flatten(b, empty), {{empty, Tensor::of<float>({3, 0}, {})}}).shape() == Shape{3, 0}));
}

BOOST_AUTO_TEST_CASE(an_embedding_gives_rows_of_its_table) {
  auto rows = embedding(
      b, b.ints({2, 0}), 3, 2,
      {.embeddings_initializer = values_initializer({3, 2}, {1, 2, 3, 4, 5, 6})});
  initialize();
  check(rows, {5, 6, 1, 2});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::layers
