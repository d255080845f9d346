#include <cmath>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(matmul)

/// The product by its definition, in double.
template <class T>
std::vector<double> naive(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  auto at = [](const Tensor& m, bool transposed, int64_t i, int64_t j) {
    auto index = transposed ? j * m.shape()[1] + i : i * m.shape()[1] + j;
    return static_cast<double>(m.values<T>()[static_cast<size_t>(index)]);
  };
  auto rows = a.shape()[transpose_a ? 1 : 0], inner = a.shape()[transpose_a ? 0 : 1];
  auto columns = b.shape()[transpose_b ? 0 : 1];
  std::vector<double> product;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < inner; ++k)
        sum += at(a, transpose_a, i, k) * at(b, transpose_b, k, j);
      product.push_back(sum);
    }
  return product;
}

struct Sizes {
  int64_t rows, inner, columns;
};

template <class T>
void check(Sizes sizes, double tolerance) {
  for (bool transpose_a : {false, true})
    for (bool transpose_b : {false, true}) {
      auto a =
          varied<T>(transpose_a ? Shape{sizes.inner, sizes.rows} : Shape{sizes.rows, sizes.inner});
      auto b = varied<T>(
          transpose_b ? Shape{sizes.columns, sizes.inner} : Shape{sizes.inner, sizes.columns});
      auto product =
          run_op("MatMul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
      BOOST_REQUIRE(product.ok());
      auto expected = naive<T>(a, b, transpose_a, transpose_b);
      const Tensor& out = (*product)[0];
      BOOST_TEST((out.shape() == Shape{sizes.rows, sizes.columns}));
      double worst = 0;
      for (size_t i = 0; i < expected.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(out.values<T>()[i]) - expected[i]));
      BOOST_TEST(worst <= tolerance * std::sqrt(static_cast<double>(sizes.inner)));
    }
}

BOOST_AUTO_TEST_CASE(products_whose_rows_are_whole_pages_apart_agree_with_the_definition) {
  for (auto sizes : {Sizes{64, 512, 512}, {512, 64, 512}, {512, 512, 64}, {100, 496, 1024}})
    check<float>(sizes, 1e-5);
}

BOOST_AUTO_TEST_CASE(products_agree_with_the_definition_however_operands_are_stored) {
  for (auto sizes : {Sizes{1, 1, 1}, {2, 3, 4}, {7, 5, 3}, {1, 40, 9}, {33, 17, 29}}) {
    check<float>(sizes, 1e-5);
    check<double>(sizes, 1e-13);
    check<float16>(sizes, 1e-2);
    check<bfloat16>(sizes, 1e-1);
  }
}

BOOST_AUTO_TEST_CASE(large_products_are_computed_in_parts_with_the_same_result) {
  check<float>({300, 64, 150}, 1e-4);
  check<float>({40, 200, 600}, 1e-4);
  check<double>({300, 64, 150}, 1e-12);
}

Tensor large_integers(int64_t rows, int64_t columns) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < rows * columns; ++i)
    values.push_back(static_cast<int32_t>(i * 1234567891 % 2147483647));
  return Tensor::of<int32_t>({rows, columns}, std::span<const int32_t>(values));
}

BOOST_AUTO_TEST_CASE(products_of_integers_wrap_around_at_any_size) {
  for (auto [rows, inner, columns] : {Sizes{3, 5, 1}, {4, 7, 15}, {9, 33, 16}, {70, 40, 211}}) {
    const auto a = large_integers(rows, inner), b = large_integers(inner, columns);
    std::vector<int32_t> expected;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        uint32_t sum = 0;
        for (int64_t k = 0; k < inner; ++k)
          sum += static_cast<uint32_t>(a.data<int32_t>()[i * inner + k]) *
                 static_cast<uint32_t>(b.data<int32_t>()[k * columns + j]);
        expected.push_back(static_cast<int32_t>(sum));
      }
    const auto product = *run_op("MatMul", {a, b});
    BOOST_TEST(product[0].values<int32_t>() == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(integers_and_complex_numbers_are_multiplied) {
  auto a = vec<int32_t>({2, 2}, {1, 2, 3, 4}), b = vec<int32_t>({2, 2}, {5, 6, 7, 8});
  BOOST_TEST(show("MatMul", {a, b}) == "int32[2,2] [19 22 43 50]");
  BOOST_TEST(show("MatMul", {a, b}, {{"transpose_a", true}}) == "int32[2,2] [26 30 38 44]");
  BOOST_TEST(show("MatMul", {a, b}, {{"transpose_b", true}}) == "int32[2,2] [17 23 39 53]");
  auto i = vec<complex64>({1, 1}, {{0, 1}});
  BOOST_TEST(show("MatMul", {i, i}) == "complex64[1,1] [(-1,0)]");
  auto most = vec<int32_t>({1, 1}, {2147483647});
  BOOST_TEST(show("MatMul", {most, vec<int32_t>({1, 1}, {2})}) == "int32[1,1] [-2]");
}

BOOST_AUTO_TEST_CASE(a_product_over_nothing_is_zero) {
  auto a = Tensor::of<float>({2, 0}, {}), b = Tensor::of<float>({0, 3}, {});
  BOOST_TEST(show("MatMul", {a, b}) == "float32[2,3] [0 0 0 0 0 0]");
  BOOST_TEST(show("MatMul", {b, vec({3, 2}, {1, 2, 3, 4, 5, 6})}) == "float32[0,2] []");
}

BOOST_AUTO_TEST_CASE(a_product_too_large_for_a_tensor_is_refused) {
  constexpr int64_t huge = int64_t{1} << 40;
  auto a = Tensor::of<float>({huge, 0}, {}), b = Tensor::of<float>({0, huge}, {});
  BOOST_TEST(starts_with(show("MatMul", {a, b}), "InvalidArgument"));
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_reach_the_product) {
  auto a = vec({1, 2}, {static_cast<float>(nan), 1}), b = vec({2, 1}, {0, 1});
  BOOST_TEST(show("MatMul", {a, b}) == "float32[1,1] [nan]");
}

BOOST_AUTO_TEST_CASE(operands_that_do_not_fit_are_refused) {
  auto a = vec({1, 2}, {1, 2}), b = vec({1, 2}, {1, 2});
  BOOST_TEST(
      show("MatMul", {a, b}) == "InvalidArgument: the inner sizes of [1,2] and [1,2] differ");
  BOOST_TEST(starts_with(show("MatMul", {a, vec({1, 2})}), "InvalidArgument: both operands must"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
