#include <boost/test/unit_test.hpp>

#include "troupe/graph/build/losses/losses.hpp"
#include "troupe/graph/build/nn/activation.hpp"
#include "troupe/graph/build/nn/convolution.hpp"
#include "troupe/graph/build/nn/cross_entropy.hpp"
#include "troupe/graph/build/nn/dropout.hpp"
#include "troupe/graph/build/nn/embedding.hpp"
#include "troupe/graph/build/nn/normalization.hpp"
#include "troupe/graph/build/nn/pooling.hpp"

namespace troupe {

namespace {

struct NetworkGraph {
  Builder b;
  Value x = b.zeros(DType::float32, {2, 3});
  Value images = b.zeros(DType::float32, {1, 4, 4, 2});

  /// The error that the builder has, after which it has none.
  std::string refused() { return b.take_status().to_string(); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(nn_functions, NetworkGraph)

BOOST_AUTO_TEST_CASE(an_axis_must_be_one_of_the_tensor) {
  BOOST_TEST(!nn::softmax(b, x, 2).is_valid());
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  nn::softmax(b, b.placeholder(DType::float32), 0);
  BOOST_TEST(
      refused() == "InvalidArgument: the rank must be known for an axis that is not the last");
  nn::bias_add(b, images, b.zeros(DType::float32, {2}), "HWC");
  BOOST_TEST(
      refused() == "InvalidArgument: data_format must be of the form `N...C` or `NC...`: HWC");
}

BOOST_AUTO_TEST_CASE(labels_must_fit_logits) {
  nn::sparse_softmax_cross_entropy_with_logits(b, b.zeros(DType::int32, {2, 1}), x);
  BOOST_TEST(refused().starts_with("InvalidArgument: Rank mismatch: Rank of labels (received 2)"));
  nn::sigmoid_cross_entropy_with_logits(b, b.zeros(DType::float32, {3, 2}), x);
  BOOST_TEST(
      refused() == "InvalidArgument: logits and labels must have the same shape ([2,3] vs [3,2])");
  nn::softmax_cross_entropy_with_logits(b, x, x, 5);
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(dropout_takes_floats_and_a_rate_below_one) {
  nn::dropout(b, x, {.rate = 1});
  BOOST_TEST(refused() == "InvalidArgument: rate must be in the range [0, 1): 1.000000");
  nn::dropout(b, x, {.rate = std::nan("")});
  BOOST_TEST(refused() == "InvalidArgument: rate must be in the range [0, 1): nan");
  nn::dropout(b, b.ints({1}));
  BOOST_TEST(refused().find("has to be a floating point tensor") != std::string::npos);
  nn::dropout(b, x, {.noise_shape = {{Shape::unknown}}});
  BOOST_TEST(refused().find("noise_shape has 1 sizes") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(windows_have_sizes_for_the_axes_of_space) {
  auto filter = b.zeros(DType::float32, {2, 2, 2, 3});
  BOOST_TEST((nn::conv2d(b, images, filter, {.strides = {2}}).shape() == Shape{1, 2, 2, 3}));
  BOOST_TEST(
      (nn::conv2d(b, images, filter, {.strides = {1, 2}, .padding = "valid"}).shape() ==
       Shape{1, 3, 2, 3}));
  BOOST_TEST(b.status().to_string() == "Ok");
  nn::conv2d(b, images, filter, {.strides = {1, 2, 3}});
  BOOST_TEST(refused() == "InvalidArgument: strides should be of length 1, 2 or 4 but was 3");
  nn::max_pool(b, images, {.ksize = {}});
  BOOST_TEST(refused() == "InvalidArgument: ksize should be of length 1, 2 or 4 but was 0");
  nn::avg_pool(b, images, {.data_format = "NWC"});
  BOOST_TEST(refused() == "InvalidArgument: data_format must be either NHWC or NCHW: NWC");
  nn::depthwise_conv2d(b, images, filter, {.strides = {2}, .dilations = {2}});
  BOOST_TEST(
      refused() == "InvalidArgument: strides > 1 not supported in conjunction with dilations > 1");
  nn::conv1d(b, x, filter, {.data_format = "NHWC"});
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_CASE(a_table_is_read_where_it_is) {
  auto table = b.on("/job:ps/task:0").variable("t", b.zeros(DType::float32, {4, 2}));
  auto worker = b.on("/job:worker/task:0");
  auto rows = nn::embedding_lookup(worker, {table}, b.ints({1, 2}));
  BOOST_TEST(b.status().to_string() == "Ok");
  const auto& gather = b.graph().node(rows.output().node);
  BOOST_TEST(gather.op->name() == "ResourceGather");
  BOOST_TEST(gather.device == "/job:ps/task:0");
}

BOOST_AUTO_TEST_CASE(a_table_needs_parts_and_a_known_strategy) {
  nn::embedding_lookup(b, {}, b.ints({0}));
  BOOST_TEST(refused() == "InvalidArgument: Need at least one param");
  nn::embedding_lookup_in_tensors(b, {x}, b.ints({0}), {.partition_strategy = "hash"});
  BOOST_TEST(refused() == "InvalidArgument: Unrecognized partition strategy: hash");
  nn::embedding_lookup(b, {Variable{}}, b.ints({0}));
  BOOST_TEST(refused() == "InvalidArgument: a table belongs to no node of this graph");
  auto unknown = b.placeholder(DType::float32);
  nn::embedding_lookup_in_tensors(b, {unknown, unknown}, b.ints({0}));
  BOOST_TEST(
      refused() ==
      "InvalidArgument: the rank of a partitioned table must be known, and at least 1");
}

BOOST_AUTO_TEST_CASE(weights_must_broadcast_to_losses) {
  losses::compute_weighted_loss(b, x, {.weights = b.zeros(DType::float32, {2})});
  BOOST_TEST(
      refused() ==
      "InvalidArgument: weights can not be broadcast to values. weights.shape=[2]. "
      "values.shape=[2,3]");
  losses::mean_squared_error(b, b.zeros(DType::float32, {2}), x);
  BOOST_TEST(refused() == "InvalidArgument: Shapes [2] and [2,3] are incompatible");
  auto unknown = b.placeholder(DType::float32);
  losses::mean_pairwise_squared_error(b, unknown, unknown);
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  losses::softmax_cross_entropy(b, unknown, unknown, {.label_smoothing = 0.1});
  BOOST_TEST(refused() == "InvalidArgument: smoothing of labels needs a known number of classes");
}

BOOST_AUTO_TEST_CASE(values_of_no_graph_are_errors) {
  Value none;
  nn::moments(b, none, {0});
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  nn::fused_batch_norm(b, none, none, none);
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  nn::relu(b, none);
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  losses::huber_loss(b, none, x);
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
  nn::batch_normalization(b, x, {}, {});
  BOOST_TEST((b.take_status().code() == Code::invalid_argument));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
