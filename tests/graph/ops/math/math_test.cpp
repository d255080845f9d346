#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(math, OpFixture)

BOOST_AUTO_TEST_CASE(element_wise_ops_keep_or_broadcast_shapes) {
  BOOST_TEST(shape("Exp", {floats({2, Shape::unknown})}) == "[2,?]");
  BOOST_TEST(shape("AddV2", {floats({2, 1}), floats({3})}) == "[2,3]");
  BOOST_TEST(shape("Mul", {floats({Shape::unknown, 3}), floats({4, 1})}) == "[4,3]");
  BOOST_TEST(shape("Sub", {floats(), floats({3})}) == "<unknown>");
  BOOST_TEST(
      shape("RealDiv", {floats({2}), floats({3})}) ==
      "shapes [2] and [3] cannot be broadcast together");
}

BOOST_AUTO_TEST_CASE(a_sum_of_many_merges_their_shapes) {
  BOOST_TEST(shape("AddN", {floats({2, Shape::unknown}), floats(), floats({-1, 3})}) == "[2,3]");
  BOOST_TEST(shape("AddN", {floats({2}), floats({3})}) == "shapes [2] and [3] do not agree");
  BOOST_TEST(shape("AddN", {}) == "attribute 'N' must be at least 1, not 0");
}

BOOST_AUTO_TEST_CASE(a_product_takes_the_outer_sizes) {
  BOOST_TEST(shape("MatMul", {floats({2, 3}), floats({3, 4})}) == "[2,4]");
  BOOST_TEST(
      shape(
          "MatMul", {floats({3, 2}), floats({4, 3})},
          {{"transpose_a", true}, {"transpose_b", true}}) == "[2,4]");
  BOOST_TEST(shape("MatMul", {floats({Shape::unknown, 3}), floats()}) == "[?,?]");
}

BOOST_AUTO_TEST_CASE(a_product_says_which_sizes_differ) {
  BOOST_TEST(
      shape("MatMul", {floats({2, 3}), floats({4, 5})}) ==
      "the inner sizes must agree, but are 3 of a[2,3] and 4 of b[4,5]");
  BOOST_TEST(
      shape("MatMul", {floats({2}), floats({2, 3})}) ==
      "input 0 must have rank 2, but its shape is [2]");
}

BOOST_AUTO_TEST_CASE(a_cast_has_the_dtype_asked_for) {
  BOOST_TEST(shape("Cast", {floats({2})}, {{"DstT", DType::int64}}) == "[2]");
  BOOST_TEST((graph.nodes().back().output_dtypes[0] == DType::int64));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
