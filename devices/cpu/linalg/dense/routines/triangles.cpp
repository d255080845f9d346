#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "troupe/devices/cpu/linalg/dense/routines/compiled.hpp"

namespace troupe::cpu::routines {

template <Instructions, class S>
bool factor_cholesky(S* matrix, int64_t size) {
  auto mapped_matrix = mapped(matrix, size, size);
  Eigen::LLT<Eigen::Ref<Matrix<S>>> llt(mapped_matrix);
  for (int64_t column = 1; column < size; ++column)
    mapped_matrix.col(column).head(column).setZero();
  return llt.info() == Eigen::Success;
}

template <Instructions, class S>
int find_pivots(S* matrix, int64_t size, int* rows) {
  auto factors = mapped(matrix, size, size);
  Eigen::PartialPivLU<Eigen::Ref<Matrix<S>>> lu(factors);
  const auto& exchange = lu.permutationP();
  for (int64_t i = 0; i < size; ++i) rows[exchange.indices()[i]] = static_cast<int>(i);
  return static_cast<int>(exchange.determinant());
}

template <Instructions, class S>
bool solve(S* matrix, int64_t size, S* rhs, int64_t columns) {
  auto factors = mapped(matrix, size, size);
  Eigen::PartialPivLU<Eigen::Ref<Matrix<S>>> lu(factors);
  for (int64_t i = 0; i < size; ++i)
    if (factors(i, i) == S(0)) return false;
  auto x = mapped(rhs, size, columns);
  x = lu.permutationP() * x;
  factors.template triangularView<Eigen::UnitLower>().solveInPlace(x);
  factors.template triangularView<Eigen::Upper>().solveInPlace(x);
  return true;
}

template <Instructions, class S>
void solve_triangular(const S* matrix, int64_t size, bool lower, S* rhs, int64_t columns) {
  auto triangle = mapped(matrix, size, size);
  auto x = mapped(rhs, size, columns);
  if (lower) triangle.template triangularView<Eigen::Lower>().solveInPlace(x);
  else triangle.template triangularView<Eigen::Upper>().solveInPlace(x);
}

template bool factor_cholesky<compiled>(double*, int64_t);
template bool factor_cholesky<compiled>(std::complex<double>*, int64_t);
template int find_pivots<compiled>(double*, int64_t, int*);
template int find_pivots<compiled>(std::complex<double>*, int64_t, int*);
template bool solve<compiled>(double*, int64_t, double*, int64_t);
template bool solve<compiled>(std::complex<double>*, int64_t, std::complex<double>*, int64_t);
template void solve_triangular<compiled>(const double*, int64_t, bool, double*, int64_t);
template void solve_triangular<compiled>(
    const std::complex<double>*, int64_t, bool, std::complex<double>*, int64_t);

}  // namespace troupe::cpu::routines
