#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(comparison, OpFixture)

BOOST_AUTO_TEST_CASE(comparisons_broadcast_to_bools) {
  BOOST_TEST(shape("Less", {floats({2, 1}), floats({3})}) == "[2,3]");
  BOOST_TEST((graph.nodes().back().output_dtypes[0] == DType::boolean));
}

BOOST_AUTO_TEST_CASE(shapes_that_do_not_fit_may_be_declared_unequal) {
  auto equal = [this](Shape x, Shape y) {
    return shape("Equal", {floats(x), floats(y)}, {{"incompatible_shape_error", false}});
  };
  BOOST_TEST(equal({2, 1}, {3}) == "[2,3]");
  BOOST_TEST(equal({2}, {3}) == "[]");
  BOOST_TEST(equal({2, -1}, {3}) == "<unknown>");
}

BOOST_AUTO_TEST_CASE(a_condition_has_a_flag_for_each_element_row_or_all) {
  auto flags = [this](Shape shape) { return placeholder(DType::boolean, shape); };
  for (auto condition : {Shape{2, 3}, Shape{2}, Shape{}, Shape::unknown_rank()})
    BOOST_TEST(shape("Select", {flags(condition), floats({2, 3}), floats({2, -1})}) == "[2,3]");
  BOOST_TEST(
      shape("Select", {flags({3}), floats({2, 3}), floats({2, 3})}) ==
      "the condition must be a scalar, a flag for each row, or of the shape [2,3], but its shape "
      "is "
      "[3]");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
