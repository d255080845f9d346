#include <boost/test/unit_test.hpp>

#include "troupe/tests/graph/op_fixture.hpp"

namespace troupe {

BOOST_FIXTURE_TEST_SUITE(slicing, OpFixture)

BOOST_AUTO_TEST_CASE(packing_adds_an_axis_and_unpacking_takes_it_away) {
  BOOST_TEST(shape("Pack", {floats({2, Shape::unknown}), floats({2, 3})}) == "[2,2,3]");
  BOOST_TEST(shape("Pack", {floats({2}), floats({2}), floats({2})}, {{"axis", -1}}) == "[2,3]");
  BOOST_TEST(
      shape("Pack", {floats({2}), floats({2})}, {{"axis", 2}}) ==
      "axis 2 is not in [-2, 2), as rank 2 asks for");
  BOOST_TEST(shape("Pack", {floats({2}), floats({3})}) == "shapes [2] and [3] do not agree");
  BOOST_TEST(shape("Unpack", {floats({2, 3})}, {{"num", 2}}) == "[3] [3]");
  BOOST_TEST(
      shape("Unpack", {floats({2, 3})}, {{"num", 2}, {"axis", 1}}) ==
      "axis 1 of shape [2,3] must have the size 2 of 'num'");
}

BOOST_AUTO_TEST_CASE(concatenation_adds_sizes_along_its_axis) {
  BOOST_TEST(shape("ConcatV2", {floats({2, 3}), floats({4, 3}), number(0)}) == "[6,3]");
  BOOST_TEST(
      shape("ConcatV2", {floats({Shape::unknown, 3}), floats({4, -1}), number(0)}) == "[?,3]");
  BOOST_TEST(shape("ConcatV2", {floats({2, 3}), floats(), later({})}) == "[?,?]");
  BOOST_TEST(
      shape("ConcatV2", {floats({2, 3}), floats({2, 4}), number(0)}) ==
      "Dimension 1 in both shapes must be equal, but are 3 and 4: [2,3] and [2,4] are concatenated "
      "along axis 0");
  BOOST_TEST(
      shape("ConcatV2", {floats({2, 3}), floats({2}), number(0)}) ==
      "input 0 must have rank 1, but its shape is [2,3]");
  BOOST_TEST(
      shape("ConcatV2", {floats(Shape()), floats(Shape()), number(0)}) ==
      "scalars cannot be concatenated, only packed");
}

BOOST_AUTO_TEST_CASE(a_slice_lies_within_its_tensor) {
  auto x = floats({4, Shape::unknown});
  BOOST_TEST(shape("Slice", {x, ints({1, 0}), ints({-1, 2})}) == "[3,2]");
  BOOST_TEST(shape("Slice", {x, later({2}), ints({2, -1})}) == "[2,?]");
  BOOST_TEST(shape("Slice", {floats(), ints({0, 0}), later({2})}) == "[?,?]");
  BOOST_TEST(
      shape("Slice", {x, ints({5, 0}), ints({-1, -1})}) == "'begin' must lie in [0, 4], but is 5");
  BOOST_TEST(
      shape("Slice", {x, ints({1, 0}), ints({4, -1})}) ==
      "'size' must be -1 or at most the 3 that there are, but is 4");
  BOOST_TEST(
      shape("Slice", {x, ints({1}), ints({1, 1})}) ==
      "'begin' and 'size' must have 2 elements, but input 1 has 1");
}

BOOST_AUTO_TEST_CASE(padding_adds_to_each_size) {
  auto two_and_one = constant(Tensor::of<int32_t>({2, 2}, {2, 1, 0, 0}));
  BOOST_TEST(shape("Pad", {floats({3, Shape::unknown}), two_and_one}) == "[6,?]");
  BOOST_TEST(shape("Pad", {floats({3}), later({1, 2})}) == "[?]");
  BOOST_TEST(
      shape("Pad", {floats({3}), two_and_one}) ==
      "'paddings' must have the shape [1,2], but has [2,2]");
}

BOOST_AUTO_TEST_CASE(gathering_puts_the_indices_shape_in_place_of_the_axis) {
  BOOST_TEST(shape("GatherV2", {floats({5, 6}), later({2, 3}), number(0)}) == "[2,3,6]");
  BOOST_TEST(shape("GatherV2", {floats({5, 6}), later({}), number(-1)}) == "[5]");
  BOOST_TEST(
      shape("GatherV2", {floats({5}), later({}), number(1)}) ==
      "axis 1 is not in [-1, 1), as rank 1 asks for");
}

BOOST_AUTO_TEST_CASE(one_hot_adds_an_axis_of_its_depth) {
  auto on = floats(Shape()), off = floats(Shape());
  BOOST_TEST(shape("OneHot", {later({4}), number(10), on, off}) == "[4,10]");
  BOOST_TEST(shape("OneHot", {later({4}), later({}), on, off}, {{"axis", 0}}) == "[?,4]");
  BOOST_TEST(
      shape("OneHot", {later({4}), number(-1), on, off}) ==
      "'depth' must not be negative, but is -1");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
