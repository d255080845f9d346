#include "troupe/tests/cuda/matrix_results.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/tests/devices/reference/call_graph.hpp"

namespace troupe::testing {
namespace {

using Number = std::complex<double>;
using Matrix = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
using Matrices = std::vector<Matrix>;
using Decomposable = decltype(cpu::Types<float, double>{} + cpu::Complex{});

bool is_single(DType dtype) { return dtype == DType::float32 || dtype == DType::complex64; }

/// The name without the prefix of an older form.
std::string base_of(const std::string& op) { return op.starts_with("Batch") ? op.substr(5) : op; }

bool has_attr(const RecordedCall& call, const char* name, bool by_default) {
  auto found = call.attrs.find(name);
  return found == call.attrs.end() ? by_default : found->second == AttrValue(true);
}

/// The last two axes of a tensor as matrices, or the last one as columns of them.
Matrices matrices_of(const Tensor& tensor, bool are_vectors = false) {
  Matrices all;
  const auto& shape = tensor.shape();
  auto rank = shape.rank();
  auto columns = are_vectors ? 1 : shape[rank - 1], rows = shape[rank - (are_vectors ? 1 : 2)];
  if (tensor.elements() == 0) return all;
  cpu::for_dtype(Decomposable{}, tensor.dtype(), [&](auto zero) {
    const auto* from = tensor.data<decltype(zero)>();
    for (int64_t i = 0; i < tensor.elements() / (rows * columns); ++i) {
      Matrix matrix(rows, columns);
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) matrix(row, column) = Number(*from++);
      all.push_back(std::move(matrix));
    }
  });
  return all;
}

double greatest(const Matrix& matrix) { return matrix.size() ? matrix.cwiseAbs().maxCoeff() : 0; }

/// Of a self-adjoint matrix, of which ops read the lower half.
Matrix self_adjoint(const Matrix& matrix) {
  Matrix whole = matrix.selfadjointView<Eigen::Lower>();
  for (Eigen::Index i = 0; i < whole.rows(); ++i) whole(i, i) = whole(i, i).real();
  return whole;
}

/// How far results may be from those expected, as a share of the greatest number beside them.
struct Tolerance {
  double share;

  bool are_near(const Matrix& got, const Matrix& expected) const {
    return got.size() == 0 || greatest(got - expected) <= share * std::max(1.0, greatest(expected));
  }
  bool has_orthonormal_columns(const Matrix& matrix) const {
    return are_near(matrix.adjoint() * matrix, Matrix::Identity(matrix.cols(), matrix.cols()));
  }
  bool is_upper(const Matrix& matrix) const {
    Matrix upper = matrix.triangularView<Eigen::Upper>();
    return upper == matrix;
  }
};

/// What is wrong with one matrix's part of all results; empty where nothing is.
using Check = std::string (*)(const Tolerance&, const Matrix& in, const std::vector<Matrix>& got);

std::string check_qr(const Tolerance& near, const Matrix& in, const std::vector<Matrix>& got) {
  if (!near.has_orthonormal_columns(got[0])) return "q is not orthonormal";
  if (!near.is_upper(got[1])) return "r is not triangular";
  return near.are_near(got[0] * got[1], in) ? "" : "q * r is not the matrix";
}

std::string check_svd(const Tolerance& near, const Matrix& in, const std::vector<Matrix>& got) {
  const auto &s = got[0], &u = got[1], &v = got[2];
  if (!near.has_orthonormal_columns(u)) return "u is not orthonormal";
  if (!near.has_orthonormal_columns(v)) return "v is not orthonormal";
  auto count = s.rows();
  Matrix product = u.leftCols(count) * s.col(0).asDiagonal() * v.leftCols(count).adjoint();
  return near.are_near(product, in) ? "" : "u * diag(s) * adjoint(v) is not the matrix";
}

std::string check_eigen(const Tolerance& near, const Matrix& in, const std::vector<Matrix>& got) {
  const auto &e = got[0], &v = got[1];
  if (!near.has_orthonormal_columns(v)) return "v is not orthonormal";
  Matrix product = v * e.col(0).asDiagonal() * v.adjoint();
  return near.are_near(product, self_adjoint(in)) ? ""
                                                  : "v * diag(e) * adjoint(v) is not the matrix";
}

std::string check_each(
    const Tolerance& near, Check check, const Tensor& in, const std::vector<Matrices>& results) {
  auto inputs = matrices_of(in);
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::vector<Matrix> of_matrix;
    for (const auto& result : results) of_matrix.push_back(result.at(i));
    auto found = check(near, inputs[i], of_matrix);
    if (!found.empty()) return "matrix " + std::to_string(i) + ": " + found;
  }
  return {};
}

/// `rows`: which rows of the matrix the products of their factors are.
std::string check_lu(
    const Tolerance& near, const Tensor& in, const Tensor& factors, const Tensor& rows) {
  auto inputs = matrices_of(in), products = matrices_of(factors);
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto n = inputs[i].rows();
    Matrix upper = products[i].triangularView<Eigen::Upper>(),
           lower = products[i].triangularView<Eigen::UnitLower>(), taken(n, n);
    for (int64_t row = 0; row < n; ++row) {
      auto at = static_cast<int64_t>(i) * n + row;
      auto from =
          rows.dtype() == DType::int32 ? rows.data<int32_t>()[at] : rows.data<int64_t>()[at];
      if (from < 0 || from >= n) return "there is no row " + std::to_string(from);
      taken.row(row) = inputs[i].row(from);
    }
    if (!near.are_near(lower * upper, taken)) return "the product is not that of the rows";
    if (greatest(lower) > 1 + near.share) return "a pivot is not the greatest";
  }
  return {};
}

/// A tensor that is to be near to the one expected, matrix by matrix.
std::string compare_each(
    const Tolerance& near, const Tensor& got, const Tensor& expected, bool are_vectors) {
  if (got.dtype() != expected.dtype() || got.shape() != expected.shape())
    return got.to_string() + " instead of " + expected.to_string();
  if (expected.elements() == 0) return {};
  auto a = matrices_of(got, are_vectors), b = matrices_of(expected, are_vectors);
  for (size_t i = 0; i < a.size(); ++i)
    if (!near.are_near(a[i], b[i])) return difference(got, expected, near.share);
  return {};
}

/// The greatest determinant that a matrix of such rows may have.
double most_determinant(const Matrix& matrix) { return matrix.rowwise().norm().prod(); }

std::string compare_determinants(
    const Tolerance& near, const Tensor& in, const Tensor& got, const Tensor& expected) {
  if (got.shape() != expected.shape() || in.elements() == 0)
    return difference(got, expected, near.share);
  auto inputs = matrices_of(in);
  auto values = [&](const Tensor& tensor) {
    return matrices_of(tensor.reshaped({tensor.elements(), 1, 1}));
  };
  auto a = values(got), b = values(expected);
  for (size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i](0, 0) - b[i](0, 0)) > near.share * std::max(1.0, most_determinant(inputs[i])))
      return difference(got, expected, near.share);
  return {};
}

bool are_finite(const Tensor& tensor) {
  for (const auto& matrix : matrices_of(tensor))
    if (!matrix.allFinite()) return false;
  return true;
}

/// Whether the least of the values is not near 0 beside the greatest.
bool are_alike(const Eigen::VectorXd& values, DType dtype) {
  auto sizes = values.cwiseAbs().eval();
  return sizes.size() == 0 ||
         sizes.minCoeff() > (is_single(dtype) ? 1e-2 : 1e-5) * sizes.maxCoeff();
}

/// The matrix whose diagonals are the rows of that one.
Matrix tridiagonal(const Matrix& diagonals) {
  auto n = diagonals.cols();
  Matrix matrix = Matrix::Zero(n, n);
  matrix.diagonal() = diagonals.row(1).transpose();
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    matrix(i, i + 1) = diagonals(0, i);
    matrix(i + 1, i) = diagonals(2, i + 1);
  }
  return matrix;
}

/// What an op inverts, of one of its matrices.
bool is_far_from_singular(const RecordedCall& call, const Matrix& matrix, DType dtype) {
  auto op = base_of(call.op);
  if (op == "Cholesky") {
    Eigen::SelfAdjointEigenSolver<Matrix> solver(self_adjoint(matrix), Eigen::EigenvaluesOnly);
    return are_alike(solver.eigenvalues(), dtype);
  }
  auto inverted = op == "TridiagonalSolve" ? tridiagonal(matrix) : matrix;
  if (op == "CholeskyGrad" || (op == "MatrixTriangularSolve" && has_attr(call, "lower", true)))
    inverted = matrix.triangularView<Eigen::Lower>();
  else if (op == "MatrixTriangularSolve") inverted = matrix.triangularView<Eigen::Upper>();
  return are_alike(Eigen::JacobiSVD<Matrix>(inverted).singularValues(), dtype);
}

}  // namespace

bool decomposes_matrices(const std::string& op) {
  auto base = base_of(op);
  return std::ranges::any_of(
      std::initializer_list<const char*>{
          "Cholesky", "CholeskyGrad", "LogMatrixDeterminant", "Lu", "MatrixDeterminant",
          "MatrixInverse", "MatrixSolve", "MatrixSolveLs", "MatrixTriangularSolve", "Qr",
          "SelfAdjointEigV2", "Svd", "TridiagonalSolve"},
      [&](const char* each) { return base == each; });
}

std::string matrix_difference(
    const RecordedCall& call, const Tensors& got, const Tensors& expected) {
  if (got.size() != expected.size()) return "there are " + std::to_string(got.size());
  for (size_t i = 0; i < got.size(); ++i)
    if (got[i].dtype() != expected[i].dtype() || got[i].shape() != expected[i].shape())
      return std::to_string(i) + ": " + got[i].to_string() + " instead of " +
             expected[i].to_string();
  const auto& in = call.inputs[0];
  auto op = base_of(call.op);
  Tolerance near{call.tolerance.value_or(is_single(in.dtype()) ? 1e-3 : 1e-9)};
  if (in.elements() == 0 || !are_finite(in)) {
    for (size_t i = 0; i < got.size(); ++i)
      if (auto found = difference(got[i], expected[i], near.share); !found.empty()) return found;
    return {};
  }
  if (op == "Lu") return check_lu(near, in, got[0], got[1]);
  if (op == "Qr") return check_each(near, check_qr, in, {matrices_of(got[0]), matrices_of(got[1])});
  if (op == "MatrixDeterminant") return compare_determinants(near, in, got[0], expected[0]);
  auto has_values = op == "Svd" || op == "SelfAdjointEigV2";
  if (op == "LogMatrixDeterminant") {
    for (size_t i : {0, 1})
      if (auto found = difference(got[i], expected[i], near.share); !found.empty()) return found;
    return {};
  }
  auto found = compare_each(near, got[0], expected[0], has_values);
  if (!found.empty() || !has_values || got[1].shape() == Shape{0}) return found;
  std::vector<Matrices> results = {matrices_of(got[0], /*are_vectors=*/true), matrices_of(got[1])};
  if (op == "Svd") results.push_back(matrices_of(got[2]));
  return check_each(near, op == "Svd" ? check_svd : check_eigen, in, results);
}

bool is_well_conditioned(const RecordedCall& call) {
  constexpr int64_t size_max = 64;  // of a matrix whose condition is found in no time
  constexpr double most = 1e6;
  auto op = base_of(call.op);
  auto inverts = op != "Qr" && op != "Svd" && op != "SelfAdjointEigV2" && op != "MatrixDeterminant";
  for (const auto& input : call.inputs) {
    auto rank = input.shape().rank();
    auto has_dtype = is_single(input.dtype()) || input.dtype() == DType::float64 ||
                     input.dtype() == DType::complex128;
    if (rank < 2 || !has_dtype) return true;
    auto is_first = &input == &call.inputs[0];
    auto rows = op == "TridiagonalSolve" ? 3 : input.shape()[rank - 1];
    auto is_any_shape = op == "MatrixSolveLs";
    auto is_inverted = is_first && inverts && (is_any_shape || input.shape()[rank - 2] == rows);
    if (is_inverted && input.shape()[rank - 1] > size_max) return false;
    for (const auto& matrix : matrices_of(input)) {
      if (!(greatest(matrix) < most) || !matrix.allFinite()) return false;
      if (is_inverted && !is_far_from_singular(call, matrix, input.dtype())) return false;
    }
  }
  return true;
}

}  // namespace troupe::testing
