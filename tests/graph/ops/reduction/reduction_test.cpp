#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(reduction, OpFixture)

BOOST_AUTO_TEST_CASE(axes_go_away_or_stay_as_1) {
  auto x = floats({2, Shape::unknown, 4});
  BOOST_TEST(shape("Sum", {x, ints({0, -1})}) == "[?]");
  BOOST_TEST(shape("Mean", {x, number(1)}) == "[2,4]");
  BOOST_TEST(shape("Max", {x, ints({0, 2})}, {{"keep_dims", true}}) == "[1,?,1]");
  BOOST_TEST(shape("Prod", {x, ints({})}) == "[2,?,4]");
  BOOST_TEST(shape("All", {placeholder(DType::boolean, {2, 3}), ints({0})}) == "[3]");
}

BOOST_AUTO_TEST_CASE(axes_that_only_a_step_knows_leave_the_shape_open) {
  BOOST_TEST(shape("Sum", {floats({2, 3}), later({1})}) == "<unknown>");
  BOOST_TEST(shape("Sum", {floats({2, 3}), later({1})}, {{"keep_dims", true}}) == "[?,?]");
}

BOOST_AUTO_TEST_CASE(axes_must_exist_and_may_come_twice) {
  BOOST_TEST(
      shape("Sum", {floats({2, 3}), ints({2})}) == "axis 2 is not in [-2, 2), as rank 2 asks for");
  BOOST_TEST(shape("Min", {floats({2, 3}), ints({1, -1})}) == "[2]");
  BOOST_TEST(
      shape("Sum", {floats({2, 3}), later({1, 1})}) ==
      "the axes must be a vector or scalar, not of shape [1,1]");
}

BOOST_AUTO_TEST_CASE(an_arg_max_takes_one_axis_away) {
  BOOST_TEST(shape("ArgMax", {floats({2, 3}), number(-1)}) == "[2]");
  BOOST_TEST((graph.nodes().back().output_dtypes[0] == DType::int64));
  BOOST_TEST(shape("ArgMax", {floats({2, 3}), later({})}) == "[?]");
  BOOST_TEST(shape("ArgMax", {floats({2, 0}), number(1)}) == "axis 1 of [2,0] is empty");
  BOOST_TEST(
      shape("ArgMax", {floats(Shape()), number(0)}) ==
      "input 0 must have at least rank 1, but is a scalar");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
