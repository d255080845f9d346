#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(array)

const auto matrix = vec({2, 3}, {1, 2, 3, 4, 5, 6});
const auto texts = Tensor::of<std::string>({2, 1}, {"a", "b"});

BOOST_AUTO_TEST_CASE(copies_are_the_same_value) {
  BOOST_TEST(show("Identity", {texts}) == "string[2,1] [\"a\" \"b\"]");
  BOOST_TEST(show("StopGradient", {vec({1, 2})}) == "float32[2] [1 2]");
  BOOST_TEST(show("ZerosLike", {vec({1, 2})}) == "float32[2] [0 0]");
  BOOST_TEST(show("ZerosLike", {texts}) == "string[2,1] [\"\" \"\"]");
  BOOST_TEST(show("OnesLike", {vec<complex64>({{3, 4}})}) == "complex64[1] [(1,0)]");
  BOOST_TEST(show("OnesLike", {vec<bool>({false})}) == "bool[1] [1]");
}

BOOST_AUTO_TEST_CASE(shapes_can_be_asked_for) {
  BOOST_TEST(show("Shape", {matrix}) == "int32[2] [2 3]");
  BOOST_TEST(show("Shape", {matrix}, {{"out_type", DType::int64}}) == "int64[2] [2 3]");
  BOOST_TEST(show("Shape", {Tensor::scalar(1.0f)}) == "int32[0] []");
  BOOST_TEST(show("Rank", {matrix}) == "int32[] [2]");
  BOOST_TEST(show("Size", {matrix}) == "int32[] [6]");
  BOOST_TEST(show("Size", {texts}, {{"out_type", DType::int64}}) == "int64[] [2]");
}

BOOST_AUTO_TEST_CASE(reshape_keeps_the_elements) {
  auto reshape = [](const Tensor& x, std::initializer_list<int32_t> sizes) {
    return show("Reshape", {x, vec<int32_t>(sizes)});
  };
  BOOST_TEST(reshape(matrix, {3, 2}) == "float32[3,2] [1 2 3 4 5 6]");
  BOOST_TEST(reshape(matrix, {-1, 2}) == "float32[3,2] [1 2 3 4 5 6]");
  BOOST_TEST(reshape(matrix, {-1}) == "float32[6] [1 2 3 4 5 6]");
  BOOST_TEST(reshape(vec({5}), {}) == "float32[] [5]");
  BOOST_TEST(reshape(texts, {2}) == "string[2] [\"a\" \"b\"]");
  BOOST_TEST(reshape(Tensor::of<float>({0, 2}, {}), {-1, 2}) == "float32[0,2] []");
  BOOST_TEST(
      reshape(matrix, {4, 2}) ==
      "InvalidArgument: cannot reshape [2,3] to [4,2]: the number of elements differs");
  BOOST_TEST(starts_with(reshape(matrix, {-1, 4}), "InvalidArgument"));
  BOOST_TEST(starts_with(reshape(matrix, {-1, -1}), "InvalidArgument"));
  BOOST_TEST(starts_with(reshape(matrix, {-2, -3}), "InvalidArgument"));
  BOOST_TEST(reshape(Tensor::of<float>({0}, {}), {-1, 0}) == "float32[1,0] []");
  BOOST_TEST(reshape(Tensor::of<float>({0, 6}, {}), {0, -1, 3}) == "float32[0,2,3] []");
  BOOST_TEST(starts_with(reshape(matrix, {-1, 0}), "InvalidArgument"));
  constexpr auto large = std::numeric_limits<int32_t>::max();
  auto none = Tensor::of<float>({0}, {});
  BOOST_TEST(starts_with(reshape(none, {0, large, large, large, -1}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(dimensions_of_size_one_come_and_go) {
  auto expand = [](const Tensor& x, int32_t axis) {
    return show("ExpandDims", {x, Tensor::scalar(axis)});
  };
  BOOST_TEST(expand(vec({1, 2}), 0) == "float32[1,2] [1 2]");
  BOOST_TEST(expand(vec({1, 2}), 1) == "float32[2,1] [1 2]");
  BOOST_TEST(expand(vec({1, 2}), -1) == "float32[2,1] [1 2]");
  BOOST_TEST(starts_with(expand(vec({1, 2}), 2), "InvalidArgument"));
  auto x = vec({1, 2, 1}, {1, 2});
  auto squeeze = [&](std::vector<int64_t> axes) {
    return show("Squeeze", {x}, {{"squeeze_dims", axes}});
  };
  BOOST_TEST(squeeze({}) == "float32[2] [1 2]");
  BOOST_TEST(squeeze({0}) == "float32[2,1] [1 2]");
  BOOST_TEST(squeeze({-1}) == "float32[1,2] [1 2]");
  BOOST_TEST(starts_with(squeeze({1}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(axes_can_be_put_in_another_order) {
  auto transpose = [](const Tensor& x, std::initializer_list<int32_t> order) {
    return show("Transpose", {x, vec<int32_t>(order)});
  };
  BOOST_TEST(transpose(matrix, {1, 0}) == "float32[3,2] [1 4 2 5 3 6]");
  BOOST_TEST(transpose(matrix, {0, 1}) == "float32[2,3] [1 2 3 4 5 6]");
  auto cube = vec<int8_t>({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  BOOST_TEST(transpose(cube, {2, 0, 1}) == "int8[3,2,2] [1 4 7 10 2 5 8 11 3 6 9 12]");
  BOOST_TEST(transpose(cube, {1, 0, 2}) == "int8[2,2,3] [1 2 3 7 8 9 4 5 6 10 11 12]");
  BOOST_TEST(transpose(texts, {1, 0}) == "string[1,2] [\"a\" \"b\"]");
  BOOST_TEST(transpose(Tensor::of<double>({0, 3}, {}), {1, 0}) == "float64[3,0] []");
  BOOST_TEST(
      transpose(vec<complex128>({2, 1}, {{1, 2}, {3, 4}}), {1, 0}) ==
      "complex128[1,2] [(1,2) (3,4)]");
  BOOST_TEST(starts_with(transpose(matrix, {0, 0}), "InvalidArgument"));
  BOOST_TEST(starts_with(transpose(matrix, {0}), "InvalidArgument"));
  BOOST_TEST(starts_with(transpose(matrix, {0, 2}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(tensors_are_stretched_by_the_rules_of_broadcasting) {
  auto stretch = [](const Tensor& x, std::initializer_list<int64_t> sizes) {
    return show("BroadcastTo", {x, vec<int64_t>(sizes)});
  };
  BOOST_TEST(stretch(vec({2, 1}, {1, 2}), {2, 3}) == "float32[2,3] [1 1 1 2 2 2]");
  BOOST_TEST(stretch(vec({1, 2}), {2, 2}) == "float32[2,2] [1 2 1 2]");
  BOOST_TEST(stretch(Tensor::scalar(7.0f), {2}) == "float32[2] [7 7]");
  BOOST_TEST(stretch(vec({1}), {0}) == "float32[0] []");
  BOOST_TEST(starts_with(stretch(vec({1, 2}), {3}), "InvalidArgument"));
  BOOST_TEST(starts_with(stretch(vec({1, 2}), {1}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(axes_to_sum_a_gradient_over_are_those_that_were_stretched) {
  auto axes = [](std::initializer_list<int32_t> x, std::initializer_list<int32_t> y) {
    return show("BroadcastGradientArgs", {vec<int32_t>(x), vec<int32_t>(y)});
  };
  BOOST_TEST(axes({2, 3}, {2, 3}) == "int32[0] []; int32[0] []");
  BOOST_TEST(axes({2, 1}, {3}) == "int32[1] [1]; int32[1] [0]");
  BOOST_TEST(axes({}, {2, 3}) == "int32[2] [0 1]; int32[0] []");
  BOOST_TEST(axes({1, 1}, {1, 2}) == "int32[2] [0 1]; int32[1] [0]");
  BOOST_TEST(axes({1}, {1}) == "int32[0] []; int32[0] []");
  BOOST_TEST(starts_with(axes({2}, {3}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(large_tensors_are_filled_in_parts) {
  constexpr int32_t count = 300001;
  const auto fives = (*run_op("Fill", {vec<int32_t>({count}), Tensor::scalar<int32_t>(5)}))[0];
  auto range = [](auto start, auto limit, auto delta) {
    return (
        *run_op("Range", {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)}))[0];
  };
  const auto odd = range(int32_t{-9}, int32_t{2 * count - 9}, int32_t{2});
  const auto down = range(int64_t{0}, int64_t{-count}, int64_t{-1});
  for (int32_t i = 0; i < count; ++i) {
    BOOST_REQUIRE(fives.data<int32_t>()[i] == 5);
    BOOST_REQUIRE(odd.data<int32_t>()[i] == 2 * i - 9);
    BOOST_REQUIRE(down.data<int64_t>()[i] == -i);
  }
}

BOOST_AUTO_TEST_CASE(fill_repeats_a_value) {
  auto fill = [](std::initializer_list<int32_t> sizes, const Tensor& value) {
    return show("Fill", {vec<int32_t>(sizes), value});
  };
  BOOST_TEST(fill({2, 2}, Tensor::scalar(3.0f)) == "float32[2,2] [3 3 3 3]");
  BOOST_TEST(fill({}, Tensor::scalar(true)) == "bool[] [1]");
  BOOST_TEST(fill({2}, Tensor::string("x")) == "string[2] [\"x\" \"x\"]");
  BOOST_TEST(starts_with(fill({-1}, Tensor::scalar(3.0f)), "InvalidArgument"));
  BOOST_TEST(starts_with(fill({1}, vec({1, 2})), "InvalidArgument"));
  BOOST_TEST(starts_with(fill({2000000000, 2000000000}, Tensor::scalar(1.0f)), "InvalidArgument"));
  BOOST_TEST(starts_with(fill({2000000000, 100000}, Tensor::scalar(1.0f)), "ResourceExhausted"));
}

template <class T>
std::string range(T start, T limit, T delta) {
  return show("Range", {Tensor::scalar(start), Tensor::scalar(limit), Tensor::scalar(delta)});
}

BOOST_AUTO_TEST_CASE(ranges_run_up_and_down_to_their_limit) {
  BOOST_TEST(range<int32_t>(0, 5, 2) == "int32[3] [0 2 4]");
  BOOST_TEST(range<int32_t>(5, 0, -2) == "int32[3] [5 3 1]");
  BOOST_TEST(range<int64_t>(1, 1, 1) == "int64[0] []");
  BOOST_TEST(range<float>(0, 1, 0.25) == "float32[4] [0 0.25 0.5 0.75]");
  BOOST_TEST(range<double>(2.5, 0, std::numeric_limits<double>::lowest()) == "float64[1] [2.5]");
  BOOST_TEST(range<double>(2.5, 0, -std::numeric_limits<double>::infinity()) == "float64[0] []");
  BOOST_TEST(range<int64_t>(INT64_MAX - 2, INT64_MAX, 5) == "int64[1] [9223372036854775805]");
  BOOST_TEST(starts_with(range<int32_t>(0, 1, 0), "InvalidArgument"));
  BOOST_TEST(starts_with(range<int32_t>(0, 1, -1), "InvalidArgument"));
  BOOST_TEST(starts_with(range<int64_t>(INT64_MIN, INT64_MAX, 1), "InvalidArgument"));
  BOOST_TEST(starts_with(range<double>(0, nan, 1), "InvalidArgument"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
