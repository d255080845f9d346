#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(sparse_dense)

BOOST_AUTO_TEST_CASE(large_products_are_computed_in_parts_with_the_same_result) {
  constexpr int64_t rows = 50, inner = 60, columns = 77, count = 6000;
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i) {
    places.push_back(i * 7 % rows);
    places.push_back(i * 11 % inner);
  }
  const auto values = varied<float>({count}), b = varied<float>({inner, columns});
  std::vector<float> expected(rows * columns);
  for (int64_t i = 0; i < count; ++i)
    for (int64_t column = 0; column < columns; ++column)
      expected[static_cast<size_t>(i * 7 % rows * columns + column)] +=
          values.data<float>()[i] * b.data<float>()[i * 11 % inner * columns + column];
  const auto indices = Tensor::of<int64_t>({count, 2}, std::span<const int64_t>(places));
  const auto product =
      *run_op("SparseTensorDenseMatMul", {indices, values, vec<int64_t>({rows, inner}), b});
  BOOST_TEST(product[0].values<float>() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(more_indices_without_axes_than_anybody_can_visit_are_answered_at_once) {
  constexpr int64_t many = int64_t{1} << 40;
  const auto none = *Tensor::allocate(DType::int64, {many, 0}), scalar = vec<int64_t>({});
  const auto dense = *run_op(
      "SparseToDense", {none, scalar, Tensor::scalar(5.0F), Tensor::scalar(0.0F)},
      {{"validate_indices", false}});
  BOOST_TEST(dense[0].value<float>() == 5.0F);
  const auto same = *run_op("SparseReshape", {none, scalar, scalar});
  BOOST_TEST((same[0].shape() == Shape{many, 0}));
  const auto refused = run_op("SparseReshape", {none, scalar, vec<int64_t>({-1})});
  BOOST_TEST((refused.status().code() == Code::resource_exhausted), refused.status().to_string());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
