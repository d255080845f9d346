#include <cmath>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(nn)

BOOST_AUTO_TEST_CASE(relu_cuts_off_what_is_negative) {
  BOOST_TEST(show("Relu", {vec<double>({-1, 0, 2, nan, -inf})}) == "float64[5] [0 0 2 nan 0]");
  BOOST_TEST(show("Relu", {vec<int8_t>({-1, 3})}) == "int8[2] [0 3]");
  BOOST_TEST(show("ReluGrad", {vec({1, 2, 3}), vec({-1, 0, 4})}) == "float32[3] [0 0 3]");
  BOOST_TEST(starts_with(show("ReluGrad", {vec({1}), vec({1, 2})}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(a_bias_is_added_to_each_channel) {
  auto x = vec({2, 3}, {1, 2, 3, 4, 5, 6}), bias = vec({10, 20, 30});
  BOOST_TEST(show("BiasAdd", {x, bias}) == "float32[2,3] [11 22 33 14 25 36]");
  auto line = vec({1, 2, 2}, {1, 2, 3, 4});
  Attrs channels_first = {{"data_format", "NCHW"}};
  BOOST_TEST(
      show("BiasAdd", {line, vec({10, 20})}, channels_first) == "float32[1,2,2] [11 12 23 24]");
  BOOST_TEST(show("BiasAdd", {line, vec({10, 20})}) == "float32[1,2,2] [11 22 13 24]");
  auto volume = vec({1, 2, 1, 2, 1}, {1, 2, 3, 4});
  BOOST_TEST(
      show("BiasAdd", {volume, vec({10, 20})}, channels_first) ==
      "float32[1,2,1,2,1] [11 12 23 24]");
  BOOST_TEST(show("BiasAdd", {Tensor::of<float>({0, 3}, {}), bias}) == "float32[0,3] []");
  BOOST_TEST(starts_with(show("BiasAdd", {x, vec({1, 2})}), "InvalidArgument: the bias must have"));
  BOOST_TEST(starts_with(show("BiasAdd", {bias, bias}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_bias_is_the_sum_over_its_channel) {
  BOOST_TEST(show("BiasAddGrad", {vec({2, 3}, {1, 2, 3, 4, 5, 6})}) == "float32[3] [5 7 9]");
  BOOST_TEST(
      show(
          "BiasAddGrad", {vec({2, 2, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8})},
          {{"data_format", "NCHW"}}) == "float32[2] [14 22]");
  BOOST_TEST(
      show("BiasAddGrad", {vec({1, 2, 2}, {1, 2, 3, 4})}, {{"data_format", "NCHW"}}) ==
      "float32[2] [3 7]");
  BOOST_TEST(show("BiasAddGrad", {Tensor::of<float>({0, 2}, {})}) == "float32[2] [0 0]");
}

BOOST_AUTO_TEST_CASE(softmax_makes_each_row_a_distribution) {
  auto zeros = vec({2, 2}, {0, 0, 1000, 1000});
  BOOST_TEST(show("Softmax", {zeros}) == "float32[2,2] [0.5 0.5 0.5 0.5]");
  BOOST_TEST(
      show("LogSoftmax", {zeros}) == "float32[2,2] [-0.693147 -0.693147 -0.693147 -0.693147]");
  auto x = vec<double>({1, 2, 3});
  BOOST_TEST(show("Softmax", {x}) == "float64[3] [0.0900306 0.244728 0.665241]");
  BOOST_TEST(show("LogSoftmax", {x}) == "float64[3] [-2.40761 -1.40761 -0.407606]");
  BOOST_TEST(show("Softmax", {vec<double>({nan, 1})}) == "float64[2] [nan nan]");
  BOOST_TEST(show("Softmax", {Tensor::of<float>({0, 3}, {})}) == "float32[0,3] []");
  BOOST_TEST(show("Softmax", {Tensor::of<float>({3, 0}, {})}) == "float32[3,0] []");
  BOOST_TEST(
      show("Softmax", {Tensor::of<float16>({0, int64_t{1} << 60}, {})}) ==
      "float16[0,1152921504606846976] []");
  BOOST_TEST(show("Softmax", {vec<float16>({float16(0), float16(0)})}) == "float16[2] [0.5 0.5]");
  BOOST_TEST(starts_with(show("Softmax", {Tensor::scalar(1.0f)}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(cross_entropy_comes_with_its_gradient) {
  auto logits = vec<double>({2, 2}, {0, 0, std::log(3), 0});
  BOOST_TEST(
      show("SoftmaxCrossEntropyWithLogits", {logits, vec<double>({2, 2}, {1, 0, 0.5, 0.5})}) ==
      "float64[2] [0.693147 0.836988]; float64[2,2] [-0.5 0.5 0.25 -0.25]");
  BOOST_TEST(
      show("SparseSoftmaxCrossEntropyWithLogits", {logits, vec<int32_t>({1, 0})}) ==
      "float64[2] [0.693147 0.287682]; float64[2,2] [0.5 -0.5 -0.25 0.25]");
  auto none = Tensor::of<float>({0, 2}, {});
  BOOST_TEST(
      show("SparseSoftmaxCrossEntropyWithLogits", {none, Tensor::of<int64_t>({0}, {})}) ==
      "float32[0] []; float32[0,2] []");
}

BOOST_AUTO_TEST_CASE(a_label_that_is_no_class_is_named) {
  auto logits = vec({2, 2}, {0, 0, 0, 0});
  BOOST_TEST(
      show("SparseSoftmaxCrossEntropyWithLogits", {logits, vec<int64_t>({1, 2})}) ==
      "InvalidArgument: label 2 of row 1 is not in [0, 2)");
  BOOST_TEST(
      show("SparseSoftmaxCrossEntropyWithLogits", {logits, vec<int64_t>({-1, 0})}) ==
      "InvalidArgument: label -1 of row 0 is not in [0, 2)");
  BOOST_TEST(starts_with(
      show("SparseSoftmaxCrossEntropyWithLogits", {logits, vec<int64_t>({1})}), "InvalidArgument"));
  BOOST_TEST(starts_with(
      show("SoftmaxCrossEntropyWithLogits", {logits, vec({1, 2}, {1, 0})}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(l2_loss_is_half_the_sum_of_squares) {
  BOOST_TEST(show("L2Loss", {vec({1, 2, 3})}) == "float32[] [7]");
  BOOST_TEST(show("L2Loss", {Tensor::of<float>({0}, {})}) == "float32[] [0]");
}

BOOST_AUTO_TEST_CASE(squares_of_large_tensors_are_summed_in_parts) {
  const auto x = varied<double>({400001});
  double sum = 0;
  for (auto element : x.values<double>()) sum += element * element;
  BOOST_TEST(
      (*run_op("L2Loss", {x}))[0].value<double>() == sum / 2, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
