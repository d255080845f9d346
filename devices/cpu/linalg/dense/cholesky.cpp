#include <Eigen/Cholesky>

#include "troupe/devices/cpu/linalg/dense/parts.hpp"

namespace troupe::cpu {

namespace {

/// Makes `x` the one before its product with the adjoint of a lower triangle.
template <class S>
void divide_by_adjoint(DensePart<const S> lower, DensePart<S> x) {
  constexpr Eigen::Index small = 24;
  const auto n = lower.rows();
  if (n <= small) {
    for (Eigen::Index column = 0; column < n; ++column) {
      for (Eigen::Index k = 0; k < column; ++k)
        x.col(column) -= Eigen::numext::conj(lower(column, k)) * x.col(k);
      x.col(column) /= Eigen::numext::real(lower(column, column));
    }
    return;
  }
  const auto first = n / 2, second = n - first;
  divide_by_adjoint<S>(lower.topLeftCorner(first, first), x.leftCols(first));
  subtract_adjoint_product<S>(
      x.rightCols(second), x.leftCols(first), lower.bottomLeftCorner(second, first));
  divide_by_adjoint<S>(lower.bottomRightCorner(second, second), x.rightCols(second));
}

/// Subtracts a * adjoint(a) from the lower half.
template <class S>
void subtract_square(DensePart<S> out, DensePart<const S> a) {
  constexpr Eigen::Index columns = 64;
  for (Eigen::Index begin = 0; begin < out.cols(); begin += columns) {
    const auto count = std::min(columns, out.cols() - begin), rows = out.rows() - begin;
    subtract_adjoint_product<S>(
        out.block(begin, begin, rows, count), a.bottomRows(rows), a.middleRows(begin, count));
  }
}

template <class S>
bool factor_part(DensePart<S> matrix) {
  constexpr Eigen::Index small = 32;
  const auto n = matrix.rows();
  if (n <= small) {
    Eigen::LLT<DensePart<S>> llt(matrix);
    return llt.info() == Eigen::Success;
  }
  const auto first = n / 2, second = n - first;
  auto corner = matrix.topLeftCorner(first, first);
  if (!factor_part<S>(corner)) return false;
  auto below = matrix.bottomLeftCorner(second, first);
  divide_by_adjoint<S>(corner, below);
  subtract_square<S>(matrix.bottomRightCorner(second, second), below);
  return factor_part<S>(matrix.bottomRightCorner(second, second));
}

}  // namespace

template <class S>
bool factor_cholesky(Dense<S>& matrix) {
  const auto is_definite = factor_part<S>(matrix);
  for (Eigen::Index column = 1; column < matrix.cols(); ++column)
    matrix.col(column).head(column).setZero();
  return is_definite;
}

template bool factor_cholesky(Dense<double>&);
template bool factor_cholesky(Dense<complex128>&);

}  // namespace troupe::cpu
