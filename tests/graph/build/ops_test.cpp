#include <boost/test/unit_test.hpp>

#include <troupe_ops/ops.hpp>

namespace troupe {

BOOST_AUTO_TEST_SUITE(ops_functions)

BOOST_AUTO_TEST_CASE(attributes_are_options_of_their_names) {
  Builder b;
  auto x = b.placeholder(DType::float32, {8, 28, 28, 3});
  auto filter = b.placeholder(DType::float32, {5, 5, 3, 16});
  auto y = ops::conv2d(b, x, filter, {.strides = {1, 2, 2, 1}, .padding = "SAME"});
  BOOST_TEST(b.status().ok());
  BOOST_TEST(y.shape().to_string() == "[8,14,14,16]");
}

BOOST_AUTO_TEST_CASE(a_missing_attribute_is_an_error_that_names_it) {
  Builder b;
  auto x = b.placeholder(DType::float32, {8, 28, 28, 3});
  auto y = ops::max_pool(b, x, {.ksize = {1, 2, 2, 1}, .padding = "VALID"});
  BOOST_TEST(!y.is_valid());
  BOOST_TEST(b.status().message().find("strides") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(several_outputs_have_their_names) {
  Builder b;
  auto logits = b.placeholder(DType::float32, {4, 10});
  auto labels = b.placeholder(DType::int64, {4});
  auto result = ops::sparse_softmax_cross_entropy_with_logits(b, logits, labels);
  BOOST_TEST(result.loss.shape().to_string() == "[4]");
  BOOST_TEST(result.backprop.shape().to_string() == "[4,10]");
}

BOOST_AUTO_TEST_CASE(a_list_of_outputs_has_as_many_values_as_its_attribute_says) {
  Builder b;
  auto x = b.placeholder(DType::float32, {3, 5});
  auto rows = ops::unpack(b, x, {.num = 3});
  BOOST_REQUIRE(rows.size() == 3u);
  BOOST_TEST(rows[2].shape().to_string() == "[5]");
  BOOST_TEST(rows[2].output().index == 2);
  auto packed = ops::pack(b, rows, {.axis = 1});
  BOOST_TEST(packed.shape().to_string() == "[5,3]");
}

BOOST_AUTO_TEST_CASE(an_op_without_outputs_is_a_target) {
  Builder b;
  auto v = ops::var_handle_op(b, {.dtype = DType::float32, .shape = Shape{2}});
  auto assigned = ops::assign_variable_op(b, v, b.zeros(DType::float32, {2}));
  BOOST_TEST(assigned.is_valid());
  BOOST_TEST(assigned.name() == assigned.node_name());
}

BOOST_AUTO_TEST_CASE(an_op_of_an_invalid_value_is_invalid) {
  Builder b;
  Value none;
  BOOST_TEST(ops::unpack(b, none, {.num = 2}).empty());
  BOOST_TEST(!ops::concat_v2(b, {none, none}, b.constant(0)).is_valid());
  BOOST_TEST(!b.status().ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
