#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(array, OpFixture)

BOOST_AUTO_TEST_CASE(a_reshape_fills_in_the_open_size) {
  BOOST_TEST(shape("Reshape", {floats({2, 6}), ints({3, -1})}) == "[3,4]");
  BOOST_TEST(shape("Reshape", {floats({Shape::unknown, 6}), ints({3, -1})}) == "[3,?]");
  BOOST_TEST(shape("Reshape", {floats({2, 6}), later({3})}) == "[?,?,?]");
  BOOST_TEST(shape("Reshape", {floats({2, 6}), later({-1})}) == "<unknown>");
}

BOOST_AUTO_TEST_CASE(a_size_that_only_a_step_knows_follows_from_the_others) {
  BOOST_TEST(shape("Reshape", {floats({2, 6}), later({1})}) == "[12]");
  auto rows_of = [&](int64_t columns) { return add("Pack", {later({}), number(columns)}, {}); };
  BOOST_TEST(shape("Reshape", {floats({2, 6}), rows_of(4)}) == "[3,4]");
  BOOST_TEST(shape("Reshape", {floats({Shape::unknown, 6}), rows_of(4)}) == "[?,4]");
  BOOST_TEST(
      shape("Reshape", {floats({2, 6}), rows_of(5)}) ==
      "Cannot reshape a tensor of shape [2,6] to [?,5]");
}

BOOST_AUTO_TEST_CASE(blocks_of_images_of_unknown_rank_have_four_axes) {
  for (auto* op : {"SpaceToBatch", "BatchToSpace"})
    BOOST_TEST(shape(op, {floats(), later({2, 2})}, {{"block_size", int64_t{2}}}) == "[?,?,?,?]");
}

BOOST_AUTO_TEST_CASE(a_reshape_keeps_the_number_of_elements) {
  BOOST_TEST(
      shape("Reshape", {floats({2, 3}), ints({4})}) ==
      "Cannot reshape a tensor of shape [2,3] to [4]");
  BOOST_TEST(
      shape("Reshape", {floats({2, 3}), ints({4, -1})}) ==
      "Cannot reshape a tensor of shape [2,3] to [4,?]");
  BOOST_TEST(shape("Reshape", {floats({0}), ints({0, -1})}) == "[0,1]");
  BOOST_TEST(shape("Reshape", {floats({0, 6}), ints({0, -1, 3})}) == "[0,2,3]");
  BOOST_TEST(shape("Reshape", {floats({0, 6}), ints({-1, 3})}) == "[0,3]");
  BOOST_TEST(
      shape("Reshape", {floats({6}), ints({0, -1})}) ==
      "Cannot reshape a tensor of shape [6] to [0,?]");
  BOOST_TEST(
      shape("Reshape", {floats({4}), ints({-1, -1})}) ==
      "only one size may be -1, but the shape is [?,?]");
  BOOST_TEST(shape("Reshape", {floats({4}), ints({-2})}) == "a dimension cannot have the size -2");
  BOOST_TEST(
      shape("Reshape", {floats(), ints({1, 1, 1, 1, 1, 1, 1, 1, 1})}) ==
      "a tensor has at most 8 dimensions, not 9");
  BOOST_TEST(
      shape("Reshape", {floats(), later({9})}) == "a tensor has at most 8 dimensions, not 9");
}

BOOST_AUTO_TEST_CASE(a_shape_travels_through_the_graph) {
  auto x = floats({Shape::unknown, 3});
  auto sizes = add("Shape", {x}, {});
  BOOST_TEST(shape("Shape", {x}) == "[2]");
  BOOST_TEST(shape("BroadcastTo", {floats({3}), sizes}) == "[?,3]");
  BOOST_TEST(shape("Fill", {sizes, floats(Shape())}) == "[?,3]");
  auto packed = add("Pack", {later({}), number(5)}, {});
  BOOST_TEST(shape("Fill", {packed, floats(Shape())}) == "[?,5]");
  auto rank = add("Rank", {x}, {});
  auto axes = add("Range", {number(0), rank, number(1)}, {});
  BOOST_TEST(shape("Sum", {x, axes}) == "[]");
}

BOOST_AUTO_TEST_CASE(an_input_that_describes_a_shape_is_checked) {
  BOOST_TEST(
      shape("Fill", {ints({2, -1}), floats(Shape())}) ==
      "input 0 must be a shape, but has the size -1");
  BOOST_TEST(
      shape("Fill", {number(2), floats(Shape())}) ==
      "input 0 must have rank 1, but its shape is []");
  BOOST_TEST(
      shape("Fill", {ints({1 << 30, 1 << 30}), floats(Shape())}) ==
      "a tensor of so many elements cannot be: more than 2^48");
  BOOST_TEST(
      shape("BroadcastTo", {floats({2, 3}), ints({2, 2})}) ==
      "a tensor of shape [2,3] cannot be broadcast to [2,2]");
  BOOST_TEST(
      shape("BroadcastTo", {floats({2, 3}), ints({1, 3})}) ==
      "a tensor of shape [2,3] cannot be broadcast to [1,3]");
}

BOOST_AUTO_TEST_CASE(dimensions_of_1_come_and_go) {
  BOOST_TEST(shape("ExpandDims", {floats({2, 3}), number(-1)}) == "[2,3,1]");
  BOOST_TEST(shape("ExpandDims", {floats({2, 3}), later({})}) == "[?,?,?]");
  BOOST_TEST(
      shape("ExpandDims", {floats({2}), number(2)}) ==
      "axis 2 is not in [-2, 2), as rank 2 asks for");
  BOOST_TEST(shape("Squeeze", {floats({1, 2, 1})}) == "[2]");
  auto only_last = Attrs{{"squeeze_dims", std::vector<int64_t>{-1}}};
  BOOST_TEST(shape("Squeeze", {floats({1, 2, Shape::unknown})}, only_last) == "[1,2]");
  BOOST_TEST(
      shape("Squeeze", {floats({1, 2})}, only_last) == "axis 1 of shape [1,2] must have size 1");
  BOOST_TEST(shape("Squeeze", {floats({1, Shape::unknown})}) == "<unknown>");
}

BOOST_AUTO_TEST_CASE(a_transpose_reorders_sizes) {
  BOOST_TEST(shape("Transpose", {floats({2, 3, 4}), ints({2, 0, 1})}) == "[4,2,3]");
  BOOST_TEST(shape("Transpose", {floats({2, 3}), later({2})}) == "[?,?]");
  BOOST_TEST(shape("Transpose", {floats(), ints({1, 0})}) == "[?,?]");
  BOOST_TEST(
      shape("Transpose", {floats({2, 3}), ints({0, 0})}) ==
      "'perm' must name each of 2 axes once, but has int32[2] [0 0]");
  BOOST_TEST(
      shape("Transpose", {floats({2, 3}), ints({0})}) ==
      "'perm' must name each axis of the shape [2,3] once, but its own shape is [1]");
}

BOOST_AUTO_TEST_CASE(a_range_counts_its_steps) {
  auto range = [this](int32_t start, int32_t limit, int32_t delta) {
    return shape("Range", {number(start), number(limit), number(delta)});
  };
  BOOST_TEST(range(0, 7, 3) == "[3]");
  BOOST_TEST(range(5, 0, -2) == "[3]");
  BOOST_TEST(range(3, 3, 1) == "[0]");
  BOOST_TEST(range(0, 1, 0) == "'delta' must not be 0");
  BOOST_TEST(range(1, 0, 1) == "'limit' must lie on the side of 'start' to which 'delta' steps");
  BOOST_TEST(shape("Range", {number(0), later({}), number(1)}) == "[?]");
  auto real = [this](float value) { return constant(Tensor::scalar(value)); };
  BOOST_TEST(shape("Range", {real(0), real(1), real(0.3f)}) == "[4]");
  BOOST_TEST(
      shape("Range", {real(0), real(1e30f), real(1e-30f)}).starts_with("a range cannot have"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
