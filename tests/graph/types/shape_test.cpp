#include <boost/test/unit_test.hpp>

#include <limits>

#include "troupe/graph/types/shape.hpp"

namespace troupe {

constexpr auto unknown = Shape::unknown;

BOOST_AUTO_TEST_SUITE(shape)

BOOST_AUTO_TEST_CASE(a_shape_prints_what_it_knows) {
  BOOST_TEST(Shape().to_string() == "[]");
  BOOST_TEST((Shape{2, unknown, 3}.to_string()) == "[2,?,3]");
  BOOST_TEST(Shape::of_rank(2).to_string() == "[?,?]");
  BOOST_TEST(Shape::unknown_rank().to_string() == "<unknown>");
}

BOOST_AUTO_TEST_CASE(only_complete_shapes_are_known) {
  BOOST_TEST(Shape().is_known());
  BOOST_TEST(Shape().is_scalar());
  BOOST_TEST((Shape{0, 3}.is_known()));
  BOOST_TEST((!Shape{2, unknown}.is_known()));
  BOOST_TEST(!Shape::unknown_rank().is_known());
  BOOST_TEST(!Shape::unknown_rank().is_scalar());
  BOOST_TEST(Shape::unknown_rank().rank() == -1);
}

BOOST_AUTO_TEST_CASE(elements_are_counted_without_overflow) {
  BOOST_TEST(Shape().elements() == 1);
  BOOST_TEST((Shape{2, 3, 4}.elements()) == 24);
  auto much = int64_t{1} << 40;
  BOOST_TEST((Shape{much, much, 0}.elements()) == 0);
  BOOST_TEST((Shape{much, much}.elements()) == std::numeric_limits<int64_t>::max());
}

BOOST_AUTO_TEST_CASE(make_refuses_what_no_tensor_can_be) {
  auto message = [](std::vector<int64_t> sizes) {
    auto shape = Shape::make(sizes);
    return shape ? shape->to_string() : shape.status().message();
  };
  BOOST_TEST(message({2, unknown}) == "[2,?]");
  BOOST_TEST(message(std::vector<int64_t>(8, 1)) == "[1,1,1,1,1,1,1,1]");
  BOOST_TEST(message(std::vector<int64_t>(9, 1)) == "a tensor has at most 8 dimensions, not 9");
  BOOST_TEST(message({-2}) == "a dimension cannot have the size -2");
  auto too_many = "a tensor of so many elements cannot be: more than 2^48";
  BOOST_TEST(message({Shape::max_elements}) == "[281474976710656]");
  BOOST_TEST(message({Shape::max_elements, 2}) == too_many);
  BOOST_TEST(message({int64_t{1} << 62, unknown}) == too_many);
}

BOOST_AUTO_TEST_CASE(merging_joins_what_either_knows) {
  auto merged = [](Shape a, Shape b) {
    auto shape = a.merge(b);
    BOOST_TEST(shape.ok() == a.is_compatible_with(b));
    return shape ? shape->to_string() : shape.status().message();
  };
  BOOST_TEST(merged({2, unknown}, {unknown, 3}) == "[2,3]");
  BOOST_TEST(merged(Shape::unknown_rank(), {2}) == "[2]");
  BOOST_TEST(merged({2}, Shape::unknown_rank()) == "[2]");
  BOOST_TEST(merged({2, unknown}, {2, unknown}) == "[2,?]");
  BOOST_TEST(merged({2}, {3}) == "shapes [2] and [3] do not agree");
  BOOST_TEST(merged({2}, {2, 1}) == "shapes [2] and [2,1] do not agree");
}

BOOST_AUTO_TEST_CASE(broadcasting_stretches_ones) {
  auto both = [](Shape a, Shape b) {
    auto shape = broadcast(a, b);
    auto other_way = broadcast(b, a);
    BOOST_TEST(shape.ok() == other_way.ok());
    if (!shape) return shape.status().message();
    BOOST_TEST((*shape == *other_way));
    return shape->to_string();
  };
  BOOST_TEST(both({2, 1, 3}, {4, 1}) == "[2,4,3]");
  BOOST_TEST(both({}, {2}) == "[2]");
  BOOST_TEST(both({1}, {0}) == "[0]");
  BOOST_TEST(both({unknown}, {1}) == "[?]");
  BOOST_TEST(both({unknown}, {3}) == "[3]");
  BOOST_TEST(both({unknown}, {unknown}) == "[?]");
  BOOST_TEST(both(Shape::unknown_rank(), {3}) == "<unknown>");
  BOOST_TEST(both({2}, {3}) == "shapes [2] and [3] cannot be broadcast together");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
