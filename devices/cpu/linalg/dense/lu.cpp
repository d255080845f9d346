#include <vector>

#include "troupe/devices/cpu/linalg/dense/parts.hpp"

namespace troupe::cpu {

namespace {

/// Exchanges row i with row exchanges[i], one after the other, within each column.
template <class S>
void exchange_rows(DensePart<S> matrix, const Eigen::Index* exchanges, Eigen::Index count) {
  for (Eigen::Index column = 0; column < matrix.cols(); ++column)
    for (Eigen::Index i = 0; i < count; ++i)
      std::swap(matrix(i, column), matrix(exchanges[i], column));
}

/// Factors a part of one matrix: its first columns, and with those the others. `exchanges[i]` is
/// the row that was exchanged with row i.
template <class S>
void factor_part(DensePart<S> matrix, Eigen::Index* exchanges) {
  constexpr Eigen::Index small = 8;
  const auto rows = matrix.rows(), columns = matrix.cols();
  if (columns <= small) {
    for (Eigen::Index i = 0; i < std::min(rows, columns); ++i) {
      matrix.col(i).tail(rows - i).cwiseAbs().maxCoeff(&exchanges[i]);
      exchanges[i] += i;
      if (matrix(exchanges[i], i) == S(0)) continue;
      matrix.row(i).swap(matrix.row(exchanges[i]));
      matrix.col(i).tail(rows - i - 1) /= matrix(i, i);
      matrix.bottomRightCorner(rows - i - 1, columns - i - 1).noalias() -=
          matrix.col(i).tail(rows - i - 1) * matrix.row(i).tail(columns - i - 1);
    }
    return;
  }
  const auto first = columns / 2, second = columns - first;
  auto left = matrix.leftCols(first), right = matrix.rightCols(second);
  factor_part<S>(left, exchanges);
  exchange_rows<S>(right, exchanges, first);
  solve_triangular_part<S>(
      left.topRows(first), {.lower = true, .has_unit_diagonal = true}, right.topRows(first));
  subtract_product<S>(
      right.bottomRows(rows - first), left.bottomRows(rows - first), right.topRows(first));
  factor_part<S>(right.bottomRows(rows - first), exchanges + first);
  const auto more = std::min(rows - first, second);
  exchange_rows<S>(left.bottomRows(rows - first), exchanges + first, more);
  for (Eigen::Index i = 0; i < more; ++i) exchanges[first + i] += first;
}

}  // namespace

template <class S>
Pivots<S> find_pivots(const Dense<S>& matrix) {
  Pivots<S> pivots{matrix, Eigen::VectorXi::LinSpaced(matrix.rows(), 0, matrix.rows() - 1), S(1)};
  std::vector<Eigen::Index> exchanges(static_cast<size_t>(matrix.rows()));
  factor_part<S>(pivots.factors, exchanges.data());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    const auto other = exchanges[static_cast<size_t>(i)];
    if (other == i) continue;
    std::swap(pivots.rows(i), pivots.rows(other));
    pivots.sign = -pivots.sign;
  }
  return pivots;
}

template <class S>
bool solve(const Dense<S>& matrix, Dense<S>& rhs) {
  const auto pivots = find_pivots(matrix);
  if (pivots.is_singular()) return false;
  each_columns(rhs.cols(), matrix.rows(), [&](int64_t begin, int64_t end) {
    Dense<S> x(rhs.rows(), end - begin);
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      x.row(i) = rhs.row(pivots.rows(i)).segment(begin, end - begin);
    solve_triangular_part<S>(pivots.factors, {.lower = true, .has_unit_diagonal = true}, x);
    solve_triangular_part<S>(pivots.factors, {.lower = false}, x);
    rhs.middleCols(begin, end - begin) = x;
  });
  return true;
}

template Pivots<double> find_pivots(const Dense<double>&);
template Pivots<complex128> find_pivots(const Dense<complex128>&);
template bool solve(const Dense<double>&, Dense<double>&);
template bool solve(const Dense<complex128>&, Dense<complex128>&);

}  // namespace troupe::cpu
