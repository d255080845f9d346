#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(nn, OpFixture)

BOOST_AUTO_TEST_CASE(a_bias_belongs_to_a_channel) {
  BOOST_TEST(shape("BiasAdd", {floats({2, Shape::unknown}), floats({3})}) == "[2,3]");
  BOOST_TEST(
      shape("BiasAdd", {floats({2, 3, 4, 5}), floats({3})}, {{"data_format", "NCHW"}}) ==
      "[2,3,4,5]");
  BOOST_TEST(
      shape("BiasAdd", {floats({2, 4}), floats({3})}) ==
      "'bias' must have the size of axis 1 of the value, of shape [2,4], but its shape is [3]");
  BOOST_TEST(shape("BiasAddGrad", {floats({2, 4})}) == "[4]");
  BOOST_TEST(
      shape("BiasAdd", {floats({2, 4}), floats({4})}, {{"data_format", "NCWH"}}) ==
      "attribute 'data_format' must be one of 'NHWC', 'NCHW', not \"NCWH\"");
}

BOOST_AUTO_TEST_CASE(a_tree_of_beams_has_their_shape_and_a_length_for_each_row) {
  auto ids = placeholder(DType::int32, {Shape::unknown, 4, 3});
  auto parents = placeholder(DType::int32, {7, 4, Shape::unknown});
  auto lengths = placeholder(DType::int32, {4}), end = placeholder(DType::int32, {});
  BOOST_TEST(shape("GatherTree", {ids, parents, lengths, end}) == "[7,4,3]");
  auto other_lengths = placeholder(DType::int32, {5});
  BOOST_TEST(
      shape("GatherTree", {ids, parents, other_lengths, end}).find("[5]") != std::string::npos);
  BOOST_TEST(shape("GatherTree", {ids, lengths, lengths, end}).find("rank 3") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(softmax_needs_an_axis) {
  BOOST_TEST(shape("Softmax", {floats({2, 3})}) == "[2,3]");
  BOOST_TEST(
      shape("LogSoftmax", {floats(Shape())}) ==
      "input 0 must have at least rank 1, but its shape is []");
}

BOOST_AUTO_TEST_CASE(a_cross_entropy_has_a_loss_a_row_and_a_gradient_an_element) {
  auto features = floats({Shape::unknown, 10});
  auto labels = placeholder(DType::int64, {32});
  BOOST_TEST(shape("SparseSoftmaxCrossEntropyWithLogits", {features, labels}) == "[32] [32,10]");
  BOOST_TEST(shape("SoftmaxCrossEntropyWithLogits", {features, floats({4, 10})}) == "[4] [4,10]");
  BOOST_TEST(
      shape("SparseSoftmaxCrossEntropyWithLogits", {floats({8, 10}), labels}) ==
      "there must be a label for each row of the features, of shape [8,10], but the labels' shape "
      "is "
      "[32]");
  BOOST_TEST(
      shape("SparseSoftmaxCrossEntropyWithLogits", {features, floats({4})}) ==
      "attribute 'Tlabels' must be one of int32, int64, not float32");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
