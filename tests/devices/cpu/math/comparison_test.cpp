#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(comparison)

BOOST_AUTO_TEST_CASE(numbers_are_compared_with_broadcasting) {
  auto x = vec({1, 2, 3}), two = Tensor::scalar(2.0f);
  BOOST_TEST(show("Equal", {x, two}) == "bool[3] [0 1 0]");
  BOOST_TEST(show("NotEqual", {x, two}) == "bool[3] [1 0 1]");
  BOOST_TEST(show("Less", {x, two}) == "bool[3] [1 0 0]");
  BOOST_TEST(show("LessEqual", {x, two}) == "bool[3] [1 1 0]");
  BOOST_TEST(show("Greater", {x, two}) == "bool[3] [0 0 1]");
  BOOST_TEST(show("GreaterEqual", {x, two}) == "bool[3] [0 1 1]");
  BOOST_TEST(show("Less", {vec({2, 1}, {1, 3}), vec({1, 2}, {2, 4})}) == "bool[2,2] [1 1 0 1]");
  BOOST_TEST(show("Less", {vec<int8_t>({-1}), vec<int8_t>({1})}) == "bool[1] [1]");
  BOOST_TEST(show("Less", {vec<uint8_t>({200}), vec<uint8_t>({100})}) == "bool[1] [0]");
}

BOOST_AUTO_TEST_CASE(nan_equals_nothing) {
  auto x = vec<double>({nan});
  BOOST_TEST(show("Equal", {x, x}) == "bool[1] [0]");
  BOOST_TEST(show("NotEqual", {x, x}) == "bool[1] [1]");
  BOOST_TEST(show("LessEqual", {x, x}) == "bool[1] [0]");
}

BOOST_AUTO_TEST_CASE(bools_and_complex_numbers_are_equal_or_not) {
  BOOST_TEST(show("Equal", {vec<bool>({true, false}), vec<bool>({true, true})}) == "bool[2] [1 0]");
  BOOST_TEST(
      show("NotEqual", {vec<complex64>({{1, 2}}), vec<complex64>({{1, 3}})}) == "bool[1] [1]");
}

BOOST_AUTO_TEST_CASE(bools_are_combined) {
  auto x = vec<bool>({false, false, true, true}), y = vec<bool>({false, true, false, true});
  BOOST_TEST(show("LogicalAnd", {x, y}) == "bool[4] [0 0 0 1]");
  BOOST_TEST(show("LogicalNot", {x}) == "bool[4] [1 1 0 0]");
}

BOOST_AUTO_TEST_CASE(select_takes_elements_rows_or_all) {
  auto x = vec({2, 2}, {1, 2, 3, 4}), y = vec({2, 2}, {10, 20, 30, 40});
  auto each = vec<bool>({2, 2}, {true, false, false, true});
  BOOST_TEST(show("Select", {each, x, y}) == "float32[2,2] [1 20 30 4]");
  BOOST_TEST(show("Select", {vec<bool>({false, true}), x, y}) == "float32[2,2] [10 20 3 4]");
  BOOST_TEST(show("Select", {Tensor::scalar(true), x, y}) == "float32[2,2] [1 2 3 4]");
  BOOST_TEST(show("Select", {Tensor::scalar(false), x, y}) == "float32[2,2] [10 20 30 40]");
  auto texts = Tensor::of<std::string>({2}, {"a", "b"});
  auto others = Tensor::of<std::string>({2}, {"c", "d"});
  BOOST_TEST(
      show("Select", {vec<bool>({false, true}), texts, others}) == "string[2] [\"c\" \"b\"]");
  auto none = Tensor::of<float>({2, 0}, {});
  BOOST_TEST(show("Select", {vec<bool>({false, true}), none, none}) == "float32[2,0] []");
}

BOOST_AUTO_TEST_CASE(select_refuses_shapes_that_do_not_fit) {
  auto x = vec({1, 2});
  BOOST_TEST(
      starts_with(show("Select", {vec<bool>({true}), x, x}), "InvalidArgument: the condition"));
  BOOST_TEST(starts_with(
      show("Select", {Tensor::scalar(true), x, vec({1})}), "InvalidArgument: both choices"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
