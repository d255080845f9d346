#include <cmath>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(math)

BOOST_AUTO_TEST_CASE(arithmetic_works_element_by_element) {
  auto x = vec({1, 2, 3}), y = vec({4, -1, 0.5});
  BOOST_TEST(show("Add", {x, y}) == "float32[3] [5 1 3.5]");
  BOOST_TEST(show("AddV2", {x, y}) == "float32[3] [5 1 3.5]");
  BOOST_TEST(show("Sub", {x, y}) == "float32[3] [-3 3 2.5]");
  BOOST_TEST(show("Mul", {x, y}) == "float32[3] [4 -2 1.5]");
  BOOST_TEST(show("Div", {x, y}) == "float32[3] [0.25 -2 6]");
  BOOST_TEST(show("RealDiv", {x, y}) == "float32[3] [0.25 -2 6]");
  BOOST_TEST(show("SquaredDifference", {x, y}) == "float32[3] [9 9 6.25]");
  auto z = Tensor::of<complex64>({1}, {{3, 4}}), w = Tensor::of<complex64>({1}, {{2, 2}});
  BOOST_TEST(show("SquaredDifference", {z, w}) == "complex64[1] [(5,0)]");
  BOOST_TEST(show("Maximum", {x, y}) == "float32[3] [4 2 3]");
  BOOST_TEST(show("Minimum", {x, y}) == "float32[3] [1 -1 0.5]");
  BOOST_TEST(show("Pow", {x, y}) == "float32[3] [1 0.5 1.73205]");
}

BOOST_AUTO_TEST_CASE(operands_are_broadcast_together) {
  auto column = vec({2, 1}, {10, 20}), row = vec({1, 3}, {1, 2, 3}), scalar = Tensor::scalar(5.0f);
  BOOST_TEST(show("AddV2", {column, row}) == "float32[2,3] [11 12 13 21 22 23]");
  BOOST_TEST(show("Sub", {row, column}) == "float32[2,3] [-9 -8 -7 -19 -18 -17]");
  BOOST_TEST(show("Sub", {scalar, row}) == "float32[1,3] [4 3 2]");
  BOOST_TEST(show("Sub", {row, scalar}) == "float32[1,3] [-4 -3 -2]");
  BOOST_TEST(show("Sub", {scalar, scalar}) == "float32[] [0]");
  BOOST_TEST(show("Mul", {vec({1}, {2}), vec({2, 2}, {1, 2, 3, 4})}) == "float32[2,2] [2 4 6 8]");
  BOOST_TEST(
      show("AddV2", {vec({2, 1, 2}, {1, 2, 3, 4}), vec({3, 1}, {10, 20, 30})}) ==
      "float32[2,3,2] [11 12 21 22 31 32 13 14 23 24 33 34]");
  BOOST_TEST(show("AddV2", {vec({1, 1}, {1}), vec({1}, {2})}) == "float32[1,1] [3]");
  BOOST_TEST(starts_with(show("AddV2", {vec({1, 2}), vec({1, 2, 3})}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(empty_operands_make_empty_results) {
  auto empty = Tensor::of<float>({0, 3}, {});
  BOOST_TEST(show("AddV2", {empty, vec({1, 2, 3})}) == "float32[0,3] []");
  BOOST_TEST(show("AddV2", {empty, Tensor::scalar(1.0f)}) == "float32[0,3] []");
  BOOST_TEST(show("Exp", {empty}) == "float32[0,3] []");
  BOOST_TEST(
      show("AddV2", {Tensor::of<float>({2, 0, 1}, {}), vec({1, 1, 4}, {1, 2, 3, 4})}) ==
      "float32[2,0,4] []");
}

BOOST_AUTO_TEST_CASE(all_numeric_dtypes_can_be_added) {
  for (auto dtype : numeric()) {
    auto sum = visit(dtype, [](auto zero) {
      using T = decltype(zero);
      return run_op("AddV2", {Tensor::of<T>({2}, {T(1), T(2)}), Tensor::scalar(T(3))});
    });
    BOOST_REQUIRE(sum.ok());
    visit(dtype, [&](auto zero) {
      using T = decltype(zero);
      BOOST_TEST(equal((*sum)[0], Tensor::of<T>({2}, {T(4), T(5)})));
    });
  }
}

BOOST_AUTO_TEST_CASE(integers_wrap_around_and_divide_towards_zero) {
  BOOST_TEST(show("AddV2", {vec<int8_t>({127}), vec<int8_t>({1})}) == "int8[1] [-128]");
  BOOST_TEST(show("Mul", {vec<uint16_t>({65535}), vec<uint16_t>({65535})}) == "uint16[1] [1]");
  BOOST_TEST(show("Neg", {vec<int32_t>({-2147483647 - 1, 5})}) == "int32[2] [-2147483648 -5]");
  BOOST_TEST(
      show("Div", {vec<int32_t>({7, -7, 7}), vec<int32_t>({2, 2, -2})}) == "int32[3] [3 -3 -3]");
  BOOST_TEST(
      show("Div", {vec<int32_t>({-2147483647 - 1}), vec<int32_t>({-1})}) ==
      "int32[1] [-2147483648]");
  BOOST_TEST(
      show("Pow", {vec<int64_t>({3, -2, 0}), vec<int64_t>({4, 3, 0})}) == "int64[3] [81 -8 1]");
}

BOOST_AUTO_TEST_CASE(what_integers_cannot_do_is_refused) {
  BOOST_TEST(
      show("Div", {vec<int32_t>({1, 2}), vec<int32_t>({1, 0})}) ==
      "InvalidArgument: integer division by zero");
  BOOST_TEST(
      show("Reciprocal", {vec<int32_t>({0})}) == "InvalidArgument: integer division by zero");
  BOOST_TEST(starts_with(show("Pow", {vec<int32_t>({2}), vec<int32_t>({-1})}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(floats_divide_by_zero_and_pass_nan_on) {
  BOOST_TEST(show("RealDiv", {vec({1, -1, 0}), vec({0, 0, 0})}) == "float32[3] [inf -inf nan]");
  auto x = vec<double>({nan, 1, nan}), y = vec<double>({1, nan, nan});
  BOOST_TEST(show("Maximum", {x, y}) == "float64[3] [nan nan nan]");
  BOOST_TEST(show("Minimum", {x, y}) == "float64[3] [nan nan nan]");
  BOOST_TEST(show("Neg", {vec({0})}) == "float32[1] [-0]");
}

BOOST_AUTO_TEST_CASE(functions_of_one_operand_have_their_values) {
  BOOST_TEST(show("Neg", {vec({1, -2})}) == "float32[2] [-1 2]");
  BOOST_TEST(show("Square", {vec({3, -2})}) == "float32[2] [9 4]");
  BOOST_TEST(show("Sqrt", {vec({4, 2})}) == "float32[2] [2 1.41421]");
  BOOST_TEST(show("Rsqrt", {vec({4, 2})}) == "float32[2] [0.5 0.707107]");
  BOOST_TEST(show("Exp", {vec({0, 1})}) == "float32[2] [1 2.71828]");
  BOOST_TEST(show("Log", {vec({1, 2})}) == "float32[2] [0 0.693147]");
  BOOST_TEST(show("Tanh", {vec({0, 1})}) == "float32[2] [0 0.761594]");
  BOOST_TEST(show("Sigmoid", {vec({0, 1})}) == "float32[2] [0.5 0.731059]");
  BOOST_TEST(show("Abs", {vec({-1.5, 2})}) == "float32[2] [1.5 2]");
  BOOST_TEST(show("Abs", {vec<uint8_t>({200})}) == "uint8[1] [200]");
  BOOST_TEST(show("Sign", {vec({-3, 0, 7})}) == "float32[3] [-1 0 1]");
  BOOST_TEST(show("Sign", {vec<int8_t>({-3, 0, 7})}) == "int8[3] [-1 0 1]");
  BOOST_TEST(show("Reciprocal", {vec({4, -2})}) == "float32[2] [0.25 -0.5]");
  BOOST_TEST(show("Reciprocal", {vec<int32_t>({1, -1, 5})}) == "int32[3] [1 -1 0]");
}

/// The functions at the ends of the numbers; alone, and as many as the processor's vectors hold.
template <class T>
void check_ends(int count) {
  auto f = [count](const char* op, double x) {
    std::vector<T> values(static_cast<size_t>(count), static_cast<T>(x));
    auto outputs = run_op(op, {Tensor::of<T>({count}, std::span<const T>(values))});
    BOOST_REQUIRE(outputs.ok());
    const Tensor& output = (*outputs)[0];
    return static_cast<double>(output.values<T>().back());
  };
  for (auto op : {"Exp", "Log", "Tanh", "Sigmoid", "Sqrt", "Rsqrt", "Sign", "Abs", "Square"})
    BOOST_TEST(std::isnan(f(op, nan)), op << " of NaN, " << count << " times");
  BOOST_TEST(f("Exp", -inf) == 0);
  BOOST_TEST(f("Exp", -1000) == 0);
  BOOST_TEST(f("Exp", inf) == inf);
  BOOST_TEST(f("Log", 0) == -inf);
  BOOST_TEST(std::isnan(f("Log", -1)));
  BOOST_TEST(f("Log", inf) == inf);
  BOOST_TEST(f("Tanh", inf) == 1);
  BOOST_TEST(f("Tanh", -inf) == -1);
  BOOST_TEST(f("Sigmoid", inf) == 1);
  BOOST_TEST(f("Sigmoid", -inf) == 0);
  BOOST_TEST(f("Sqrt", inf) == inf);
  BOOST_TEST(std::isnan(f("Sqrt", -1)));
  BOOST_TEST(f("Rsqrt", 0) == inf);
  BOOST_TEST(f("Rsqrt", inf) == 0);
}

BOOST_AUTO_TEST_CASE(functions_of_infinity_and_nan_are_those_of_the_standard_library) {
  for (int count : {1, 4, 9}) {
    check_ends<float>(count);
    check_ends<double>(count);
    check_ends<float16>(count);
    check_ends<bfloat16>(count);
  }
}

BOOST_AUTO_TEST_CASE(functions_agree_with_the_standard_library_in_every_float) {
  auto check = [](auto zero, double tolerance, const char* op, double (*expected)(double)) {
    using T = decltype(zero);
    std::vector<T> xs;
    for (double x = 0.05; x < 8; x += 0.37) xs.push_back(static_cast<T>(x));
    auto outputs =
        run_op(op, {Tensor::of<T>({static_cast<int64_t>(xs.size())}, std::span<const T>(xs))});
    BOOST_REQUIRE(outputs.ok());
    for (size_t i = 0; i < xs.size(); ++i) {
      auto want = expected(static_cast<double>(xs[i]));
      auto got = static_cast<double>((*outputs)[0].template values<T>()[i]);
      BOOST_TEST(
          std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want)), op << " of " << xs[i]);
    }
  };
  auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  auto all = [&](auto zero, double tolerance) {
    check(zero, tolerance, "Exp", [](double x) { return std::exp(x); });
    check(zero, tolerance, "Log", [](double x) { return std::log(x); });
    check(zero, tolerance, "Tanh", [](double x) { return std::tanh(x); });
    check(zero, tolerance, "Sigmoid", sigmoid);
    check(zero, tolerance, "Sqrt", [](double x) { return std::sqrt(x); });
    check(zero, tolerance, "Rsqrt", [](double x) { return 1 / std::sqrt(x); });
  };
  all(float{}, 1e-6);
  all(double{}, 1e-14);
  all(float16{}, 4e-3);
  all(bfloat16{}, 3e-2);
}

BOOST_AUTO_TEST_CASE(complex_numbers_have_functions_too) {
  auto z = vec<complex64>({{3, 4}});
  BOOST_TEST(show("Mul", {z, z}) == "complex64[1] [(-7,24)]");
  BOOST_TEST(show("Conj", {z}) == "complex64[1] [(3,-4)]");
  BOOST_TEST(show("Sign", {z}) == "complex64[1] [(0.6,0.8)]");
  BOOST_TEST(show("Sqrt", {z}) == "complex64[1] [(2,1)]");
  BOOST_TEST(show("Reciprocal", {z}) == "complex64[1] [(0.12,-0.16)]");
  BOOST_TEST(show("Sigmoid", {vec<complex64>({{0, 0}})}) == "complex64[1] [(0.5,0)]");
  BOOST_TEST(show("Rsqrt", {vec<complex64>({{4, 0}})}) == "complex64[1] [(0.5,0)]");
}

BOOST_AUTO_TEST_CASE(derivatives_are_made_of_a_result_and_what_arrived_at_it) {
  auto y = vec({0.5}), dy = vec({3});
  BOOST_TEST(show("TanhGrad", {y, dy}) == "float32[1] [2.25]");
  BOOST_TEST(show("SigmoidGrad", {y, dy}) == "float32[1] [0.75]");
  BOOST_TEST(show("SqrtGrad", {y, dy}) == "float32[1] [3]");
  BOOST_TEST(show("RsqrtGrad", {y, dy}) == "float32[1] [-0.1875]");
  BOOST_TEST(starts_with(show("TanhGrad", {y, Tensor::scalar(1.0f)}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(infinite_derivatives_do_not_count_where_no_gradient_arrived) {
  const auto infinite = std::numeric_limits<float>::infinity();
  for (const auto* op : {"SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad"}) {
    auto y = op == std::string("SqrtGrad") ? 0.0f : infinite;
    BOOST_TEST(show(op, {vec({y}), vec({0})}) == "float32[1] [0]", op);
    BOOST_TEST(!starts_with(show(op, {vec({y}), vec({2})}), "float32[1] [0]"), op);
    auto z = vec<complex64>({{y, 0}}), none = vec<complex64>({{0, 0}});
    BOOST_TEST(show(op, {z, none}) == "complex64[1] [(0,0)]", op);
  }
}

BOOST_AUTO_TEST_CASE(tensors_of_one_shape_are_summed) {
  auto x = vec({1, 2}), y = vec({10, 20}), z = vec({100, 200});
  BOOST_TEST(show("AddN", {x, y, z}) == "float32[2] [111 222]");
  BOOST_TEST(show("AddN", {x}) == "float32[2] [1 2]");
  BOOST_TEST(show("AddN", {x, x, x}) == "float32[2] [3 6]");
  BOOST_TEST(starts_with(
      show("AddN", {x, vec({1, 2, 3})}),
      "InvalidArgument: inputs must have one shape, but input 0 is [2] and input 1 is [3]"));
}

BOOST_AUTO_TEST_CASE(large_operands_are_computed_in_parts_with_the_same_result) {
  constexpr int64_t rows = 700, columns = 500;
  auto x = varied<float>({rows, columns}), y = varied<float>({rows, 1});
  auto sum = run_op("AddV2", {x, y}), twice = run_op("AddV2", {x, x}), root = run_op("Exp", {x});
  BOOST_REQUIRE((sum.ok() && twice.ok() && root.ok()));
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows * columns; ++i) {
    auto element = x.values<float>()[i];
    wrong += (*sum)[0].values<float>()[i] != element + y.values<float>()[i / columns];
    wrong += (*twice)[0].values<float>()[i] != element + element;
    wrong += std::abs((*root)[0].values<float>()[i] - std::exp(element)) > 1e-6f;
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(results_nearer_to_zero_than_normal_ones_are_zero_on_all_threads) {
  for (int64_t count : {3, 1 << 20}) {
    auto x = Tensor::of<float>({count}, std::vector<float>(static_cast<size_t>(count), 1e-30f));
    auto product = run_op("Mul", {x, Tensor::scalar(1e-10f)});
    BOOST_REQUIRE(product.ok());
    BOOST_TEST(std::ranges::count((*product)[0].values<float>(), 0.0f) == count);
  }
  // Of this thread, which computed the small product, only kernels.
  volatile float x = 1e-30f, y = 1e-10f;
  BOOST_TEST(x * y > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
