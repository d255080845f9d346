#include "troupe/graph/types/eigen.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;

namespace {

/// A view of a temporary would outlive it.
template <class T>
concept Viewable = requires(T tensor) {
  as_matrix<float>(static_cast<T>(tensor));
  as_vector<float>(static_cast<T>(tensor));
};
static_assert(Viewable<Tensor&> && Viewable<const Tensor&> && !Viewable<Tensor&&>);

}  // namespace

BOOST_AUTO_TEST_SUITE(eigen)

BOOST_AUTO_TEST_CASE(a_matrix_is_the_tensor_itself) {
  auto tensor = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  auto matrix = as_matrix<float>(tensor);
  BOOST_TEST(matrix.data() == tensor.data<float>());
  BOOST_TEST(matrix.rows() == 2);
  BOOST_TEST(matrix.cols() == 3);
  BOOST_TEST(matrix(1, 0) == 4);
  as_mutable_matrix<float>(tensor)(1, 0) = 7;
  BOOST_TEST(tensor.to_string() == "float32[2,3] [1 2 3 7 5 6]");
}

BOOST_AUTO_TEST_CASE(a_vector_has_the_elements_of_any_rank) {
  auto tensor = Tensor::of<int32_t>({2, 1, 2}, {1, 2, 3, 4});
  BOOST_TEST(as_vector<int32_t>(tensor).sum() == 10);
  as_mutable_vector<int32_t>(tensor) *= 2;
  BOOST_TEST(tensor.to_string() == "int32[2,1,2] [2 4 6 8]");
  auto nothing = Tensor::of<double>({0, 3}, {});
  BOOST_TEST(as_vector<double>(nothing).size() == 0);
  BOOST_TEST(as_matrix<double>(nothing).cols() == 3);
}

BOOST_AUTO_TEST_CASE(expressions_become_tensors_in_row_major_order) {
  Eigen::MatrixXf columns_first(2, 2);
  columns_first << 1, 2, 3, 4;
  BOOST_TEST(to_tensor(columns_first).to_string() == "float32[2,2] [1 2 3 4]");
  BOOST_TEST(to_tensor(columns_first.transpose()).to_string() == "float32[2,2] [1 3 2 4]");
  BOOST_TEST(to_tensor(columns_first * columns_first).to_string() == "float32[2,2] [7 10 15 22]");
  BOOST_TEST(to_tensor(columns_first.array() > 2).to_string() == "bool[2,2] [0 0 1 1]");
  BOOST_TEST(to_tensor(Eigen::MatrixXd(0, 4)).to_string() == "float64[0,4] []");
}

BOOST_AUTO_TEST_CASE(rows_and_columns_become_vectors) {
  Eigen::VectorXd column = Eigen::VectorXd::LinSpaced(3, 1, 3);
  BOOST_TEST(to_tensor(column).to_string() == "float64[3] [1 2 3]");
  BOOST_TEST(to_tensor(column.transpose()).to_string() == "float64[3] [1 2 3]");
  BOOST_TEST(to_tensor(column * column.transpose()).shape().to_string() == "[3,3]");
  Eigen::Matrix<int64_t, 1, 2> row(5, 6);
  BOOST_TEST(to_tensor(row).to_string() == "int64[2] [5 6]");
}

BOOST_AUTO_TEST_CASE(a_tensor_is_the_same_after_the_way_there_and_back) {
  auto tensor = Tensor::of<complex64>({1, 2}, {{1, 2}, {3, 4}});
  BOOST_TEST(equal(to_tensor(as_matrix<complex64>(tensor)), tensor));
}

BOOST_AUTO_TEST_SUITE_END()
