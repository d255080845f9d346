#include <cmath>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/types/eigen.hpp"
#include "troupe/tests/devices/check_gradient.hpp"
#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {
namespace {

template <class T>
using Matrix = RowMajorMatrix<T>;

template <class T>
Matrix<T> matrix_of(const Tensor& tensor, int64_t index) {
  auto rows = tensor.shape()[1], columns = tensor.shape()[2];
  return Eigen::Map<const Matrix<T>>(tensor.data<T>() + index * rows * columns, rows, columns);
}

/// Real matrices, or complex ones with another part.
template <class T>
Tensor varied_matrices(const Shape& shape) {
  auto real = varied<double>(shape);
  std::vector<T> values;
  for (int64_t i = 0; i < shape.elements(); ++i) {
    auto value = real.data<double>()[i];
    if constexpr (Eigen::NumTraits<T>::IsComplex)
      values.push_back(
          T(static_cast<typename T::value_type>(value),
            static_cast<typename T::value_type>(std::sin(40 * value))));
    else values.push_back(static_cast<T>(value));
  }
  return Tensor::of<T>(shape, std::span<const T>(values));
}

template <class T>
bool is_close(const Matrix<T>& a, const Matrix<T>& b) {
  using Real = typename Eigen::NumTraits<T>::Real;
  return (a - b).norm() <= Real(100) * std::numeric_limits<Real>::epsilon() * (1 + b.norm());
}

template <class T>
bool has_orthonormal_columns(const Matrix<T>& a) {
  return is_close<T>(a.adjoint() * a, Matrix<T>::Identity(a.cols(), a.cols()));
}

template <class T>
void check_svd(const Shape& shape, bool full) {
  auto a = varied_matrices<T>(shape);
  auto svd = run_op("Svd", {a}, {{"full_matrices", full}});
  BOOST_REQUIRE_MESSAGE(svd.ok(), svd.status().to_string());
  auto values = std::min(shape[1], shape[2]);
  for (int64_t i = 0; i < shape[0]; ++i) {
    auto u = matrix_of<T>((*svd)[1], i), v = matrix_of<T>((*svd)[2], i);
    auto s = Eigen::Map<const Eigen::Vector<T, Eigen::Dynamic>>(
        (*svd)[0].template data<T>() + i * values, values);
    BOOST_TEST((has_orthonormal_columns<T>(u) && has_orthonormal_columns<T>(v)));
    BOOST_TEST((u.cols() == (full ? shape[1] : values) && v.cols() == (full ? shape[2] : values)));
    Matrix<T> product = u.leftCols(values) * s.asDiagonal() * v.leftCols(values).adjoint();
    BOOST_TEST((is_close<T>(product, matrix_of<T>(a, i))));
  }
}

template <class T>
void check_eigen(int64_t count, int64_t size) {
  auto a = varied_matrices<T>({count, size, size});
  auto eigen = run_op("SelfAdjointEigV2", {a});
  BOOST_REQUIRE_MESSAGE(eigen.ok(), eigen.status().to_string());
  for (int64_t i = 0; i < count; ++i) {
    auto v = matrix_of<T>((*eigen)[1], i);
    auto e = Eigen::Map<const Eigen::Vector<T, Eigen::Dynamic>>(
        (*eigen)[0].template data<T>() + i * size, size);
    Matrix<T> lower = matrix_of<T>(a, i).template triangularView<Eigen::StrictlyLower>();
    Matrix<T> whole = lower + lower.adjoint();
    whole.diagonal() = matrix_of<T>(a, i).diagonal().real().template cast<T>();
    BOOST_TEST(has_orthonormal_columns<T>(v));
    BOOST_TEST((is_close<T>(v * e.asDiagonal() * v.adjoint(), whole)));
  }
}

/// The derivatives of a function of one float64 input of that shape.
void check_function(
    const Shape& shape, const std::vector<KnownShapes>& known,
    const std::function<Values(const Builder&, const Value&)>& body) {
  Builder b;
  size_t results = 0;
  auto function =
      b.function("f", {{"x", DType::float64, shape}}, [&](const Builder& f, const Values& in) {
        auto values = body(f, in[0]);
        results = values.size();
        return values;
      });
  BOOST_REQUIRE_MESSAGE(b.status().ok(), b.status().to_string());
  GradientCase c{
      .op = "PartitionedCall",
      .inputs = {{varied<double>(shape)}},
      .attrs = {{"f", function}, {"Tout", DTypes(results, DType::float64)}},
      .functions = b.graph().library().defs_from(0)};
  for (auto each : known) check_gradient(c, each);
}

const std::vector<KnownShapes> all_knowledge = {KnownShapes::shapes, KnownShapes::nothing};

}  // namespace

BOOST_AUTO_TEST_SUITE(decompositions)

BOOST_AUTO_TEST_CASE(singular_vectors_and_values_give_the_matrices_back) {
  for (bool full : {false, true})
    for (const auto& shape : {Shape{2, 3, 5}, Shape{2, 5, 3}, Shape{3, 4, 4}, Shape{1, 1, 1}}) {
      check_svd<float>(shape, full);
      check_svd<double>(shape, full);
      check_svd<complex64>(shape, full);
      check_svd<complex128>(shape, full);
    }
}

BOOST_AUTO_TEST_CASE(eigenvectors_and_values_give_self_adjoint_matrices_back) {
  check_eigen<float>(3, 4);
  check_eigen<double>(2, 5);
  check_eigen<complex64>(2, 3);
  check_eigen<complex128>(3, 4);
}

BOOST_AUTO_TEST_CASE(many_matrices_are_decomposed_in_parts_with_the_same_result) {
  check_svd<double>({300, 12, 9}, false);
  check_eigen<double>(300, 12);
}

BOOST_AUTO_TEST_CASE(the_derivative_of_a_cholesky_decomposition_is_of_symmetric_matrices) {
  check_function({2, 3, 3}, all_knowledge, [](const Builder& f, const Value& x) {
    auto square = f.op("BatchMatMulV2", {x, x}, {{"adj_y", true}});
    auto diagonal = f.op("MatrixDiagPart", {square}) + 1.0;
    return Values{f.op("Cholesky", {f.op("MatrixSetDiag", {square, diagonal})})};
  });
}

BOOST_AUTO_TEST_CASE(singular_vectors_have_derivatives_whatever_their_sign) {
  for (const auto& shape : {Shape{3, 2}, Shape{2, 3}, Shape{3, 3}, Shape{2, 2, 3}}) {
    check_function(shape, all_knowledge, [](const Builder& f, const Value& x) {
      auto svd = f.op("Svd", {x});
      return Values{svd, f.square(svd.output(1)), f.square(svd.output(2))};
    });
    check_function(shape, {KnownShapes::shapes}, [](const Builder& f, const Value& x) {
      auto svd = f.op("Svd", {x}, {{"full_matrices", true}});
      return Values{svd, f.square(svd.output(1)), f.square(svd.output(2))};
    });
  }
}

BOOST_AUTO_TEST_CASE(eigenvectors_have_derivatives_whatever_their_sign) {
  check_function({2, 3, 3}, all_knowledge, [](const Builder& f, const Value& x) {
    auto eigen = f.op("SelfAdjointEigV2", {x});
    return Values{eigen, f.square(eigen.output(1))};
  });
}

BOOST_AUTO_TEST_CASE(a_real_matrix_has_a_real_square_root_unless_an_eigenvalue_is_negative) {
  auto root_of = [](std::vector<double> values) {
    return show("MatrixSquareRoot", {Tensor::of<double>({2, 2}, std::span<const double>(values))});
  };
  BOOST_TEST(root_of({4, 0, 0, 9}) == "float64[2,2] [2 0 0 3]");
  BOOST_TEST(root_of({0, -2, 2, 0}) == "float64[2,2] [1 -1 1 1]");  // its eigenvalues are complex
  BOOST_TEST(root_of({4, 0, 0, -9}) == "float64[2,2] [nan nan nan nan]");
}

BOOST_AUTO_TEST_CASE(what_has_no_derivative_says_so) {
  auto failure = [](const char* op, const Shape& shape, DType dtype, const Attrs& attrs) {
    Builder b;
    auto x = b.placeholder(dtype, shape);
    auto derivatives = troupe::gradients(b, {b.op(op, {x}, attrs)}, {x});
    return derivatives.ok() ? "none" : derivatives.status().message();
  };
  BOOST_TEST(starts_with(
      failure("Qr", {2, 3}, DType::float64, {}), "Qr has a gradient only where r is square"));
  BOOST_TEST(starts_with(
      failure("Qr", {3, 3}, DType::complex64, {}), "Qr of complex matrices has no gradient"));
  BOOST_TEST(starts_with(
      failure("Svd", {2, 4}, DType::float64, {{"full_matrices", true}}), "Svd with full_matrices"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
