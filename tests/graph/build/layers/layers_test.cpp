#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/layers/convolutional.hpp"
#include "troupe/graph/build/layers/core.hpp"
#include "troupe/graph/build/layers/normalization.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"

namespace troupe {

namespace {

struct LayersGraph {
  Builder b;
  Value x = b.zeros(DType::float32, {2, 3});
  Value images = b.zeros(DType::float32, {1, 4, 4, 2});

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& variable : b.variables()) found.push_back(variable.name);
    return found;
  }
  std::string refused() { return b.take_status().to_string(); }
};

using VariableNames = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(layers_of_networks, LayersGraph)

BOOST_AUTO_TEST_CASE(variables_have_the_names_that_tensorflow_gives_them) {
  auto y = layers::dense(b, layers::dense(b, x, 4), 5, {.use_bias = false});
  layers::dense(b.scope("tower"), y, 1, {.scope = {.name = "head"}});
  layers::conv2d(b, images, 3, {3});
  layers::conv2d_transpose(b, images, 3, {3});
  layers::separable_conv2d(b, images, 3, {3});
  layers::batch_normalization(b, images);
  layers::embedding(b, b.ints({0}), 3, 2);
  BOOST_TEST(b.status().to_string() == "Ok");
  VariableNames expected{
      "dense/kernel",
      "dense/bias",
      "dense_1/kernel",
      "tower/head/kernel",
      "tower/head/bias",
      "conv2d/kernel",
      "conv2d/bias",
      "conv2d_transpose/kernel",
      "conv2d_transpose/bias",
      "separable_conv2d/depthwise_kernel",
      "separable_conv2d/pointwise_kernel",
      "separable_conv2d/bias",
      "batch_normalization/gamma",
      "batch_normalization/beta",
      "batch_normalization/moving_mean",
      "batch_normalization/moving_variance",
      "embedding/embeddings"};
  BOOST_TEST(names() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_layer_that_is_named_as_another_is_refused) {
  layers::dense(b, x, 4, {.scope = {.name = "head"}});
  layers::dense(b, x, 4, {.scope = {.name = "head"}});
  BOOST_TEST((b.status().code() == Code::already_exists));
  BOOST_TEST(b.status().message() == "Variable head/kernel already exists");
}

BOOST_AUTO_TEST_CASE(variables_may_live_on_another_device_than_the_layer) {
  auto ps = b.on("/job:ps/task:0").container("shared");
  auto worker = b.on("/job:worker/task:0");
  auto y = layers::dense(worker, x, 4, {.scope = {.variables = ps}});
  BOOST_TEST(b.status().to_string() == "Ok");
  const auto& graph = b.graph();
  BOOST_TEST(graph.node(y.output.output().node).device == "/job:worker/task:0");
  for (const auto& variable : y.variables) {
    const auto& handle = graph.node(variable.handle.output().node);
    BOOST_TEST(handle.device == "/job:ps/task:0");
    BOOST_TEST(handle.attr<std::string>("container") == "shared");
  }
}

BOOST_AUTO_TEST_CASE(only_layers_that_are_trainable_are_trained) {
  auto fixed = layers::dense(b, x, 4, {.scope = {.name = "fixed", .trainable = false}});
  auto trained = layers::dense(b, fixed, 1, {.scope = {.name = "trained"}});
  minimize(b, b.reduce_sum(trained), Momentum{});
  BOOST_TEST(b.status().to_string() == "Ok");
  BOOST_TEST(b.graph().contains("trained/kernel/Momentum/handle"));
  BOOST_TEST(!b.graph().contains("fixed/kernel/Momentum/handle"));
}

BOOST_AUTO_TEST_CASE(moving_averages_are_not_trained) {
  auto normal = layers::batch_normalization(b, layers::dense(b, x, 2));
  minimize(b, b.reduce_sum(b.square(normal)), Momentum{});
  BOOST_TEST(b.status().to_string() == "Ok");
  BOOST_TEST(b.graph().contains("batch_normalization/gamma/Momentum/handle"));
  BOOST_TEST(!b.graph().contains("batch_normalization/moving_mean/Momentum/handle"));
}

BOOST_AUTO_TEST_CASE(updates_run_where_the_averages_are) {
  auto ps = b.on("/job:ps/task:0");
  auto worker = b.on("/job:worker/task:0");
  auto normal =
      layers::batch_normalization(worker, x, {.training = true, .scope = {.variables = ps}});
  BOOST_REQUIRE_EQUAL(normal.updates.size(), 2);
  for (const auto& update : normal.updates)
    BOOST_TEST(b.graph().node(update.output().node).device == "/job:ps/task:0");
}

BOOST_AUTO_TEST_CASE(layers_need_inputs_of_a_known_width) {
  layers::dense(b, b.placeholder(DType::float32, {2, Shape::unknown}), 4);
  BOOST_TEST(
      refused() ==
      "InvalidArgument: the inputs of a dense layer need a rank of at least 2 and a known last "
      "size, not [2,?]");
  layers::conv2d(b, x, 4, {3});
  BOOST_TEST(
      refused() ==
      "InvalidArgument: images need four axes and a known number of channels, not [2,3]");
  layers::batch_normalization(b, x, {.axis = 2});
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  layers::flatten(b, b.placeholder(DType::float32));
  BOOST_TEST(refused() == "InvalidArgument: flatten needs a known rank of at least 1");
  layers::layer_norm(b, b.placeholder(DType::float32));
  BOOST_TEST(refused() == "InvalidArgument: Input has undefined rank: <unknown>");
  layers::dropout(b, Value());
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(sizes_of_layers_are_checked) {
  layers::dense(b, x, 0);
  BOOST_TEST(refused() == "InvalidArgument: a dense layer needs at least one unit");
  layers::conv2d(b, images, 4, {});
  BOOST_TEST(
      refused() ==
      "InvalidArgument: The `kernel_size` argument must be one or two positive integers");
  layers::conv2d(b, images, 4, {3}, {.strides = {2}, .dilation_rate = {2}});
  BOOST_TEST(
      refused() ==
      "InvalidArgument: strides > 1 not supported in conjunction with dilation_rate > 1");
  layers::max_pooling2d(b, images, {.data_format = "NHWC"});
  BOOST_TEST(refused().find("Received: NHWC") != std::string::npos);
  layers::separable_conv2d(b, images, 4, {2}, {.depth_multiplier = 0});
  BOOST_TEST(refused() == "InvalidArgument: depth_multiplier must be at least 1");
  layers::embedding(b, b.ints({0}), 0, 4);
  BOOST_TEST(refused() == "InvalidArgument: an embedding needs at least one row and one column");
}

BOOST_AUTO_TEST_CASE(initializers_check_the_shape_and_their_options) {
  auto made = [&](const Initializer& initializer, const Shape& shape) {
    initializer(b, shape, DType::float32);
    return refused();
  };
  BOOST_TEST(
      made(zeros_initializer(), {Shape::unknown}) ==
      "InvalidArgument: an initializer needs a known shape, not [?]");
  BOOST_TEST(
      made(constant_initializer(Tensor::of<float>({2}, {1, 2})), {3}) ==
      "InvalidArgument: the values of an initializer do not fill the shape [3]");
  BOOST_TEST(
      made(variance_scaling_initializer({.mode = "fan"}), {3}) ==
      "InvalidArgument: Invalid `mode` argument: fan");
  BOOST_TEST(
      made(variance_scaling_initializer({.distribution = "cauchy"}), {3}) ==
      "InvalidArgument: Invalid `distribution` argument: cauchy");
  BOOST_TEST(
      made(orthogonal_initializer(), {3}) ==
      "InvalidArgument: The tensor to initialize must be at least two-dimensional");
  BOOST_TEST(
      made(identity_initializer(), {3}) ==
      "InvalidArgument: Identity matrix initializer can only be used for 2D matrices.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
