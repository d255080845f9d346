#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "troupe/devices/cpu/linalg/dense/routines/compiled.hpp"

namespace troupe::cpu::routines {

template <Instructions, class S>
bool factor_cholesky(S* matrix, int64_t size) {
  auto factor = aligned_copy(matrix, size, size);
  Eigen::LLT<Eigen::Ref<Matrix<S>>> llt(factor);
  for (int64_t column = 1; column < size; ++column) factor.col(column).head(column).setZero();
  mapped(matrix, size, size) = factor;
  return llt.info() == Eigen::Success;
}

template <Instructions, class S>
int find_pivots(S* matrix, int64_t size, int* rows) {
  auto factors = aligned_copy(matrix, size, size);
  Eigen::PartialPivLU<Eigen::Ref<Matrix<S>>> lu(factors);
  const auto& exchange = lu.permutationP();
  for (int64_t i = 0; i < size; ++i) rows[exchange.indices()[i]] = static_cast<int>(i);
  mapped(matrix, size, size) = factors;
  return static_cast<int>(exchange.determinant());
}

template <Instructions, class S>
bool solve(const S* matrix, int64_t size, S* rhs, int64_t columns) {
  auto factors = aligned_copy(matrix, size, size);
  Eigen::PartialPivLU<Eigen::Ref<Matrix<S>>> lu(factors);
  for (int64_t i = 0; i < size; ++i)
    if (factors(i, i) == S(0)) return false;
  Matrix<S> x = lu.permutationP() * mapped(rhs, size, columns);
  factors.template triangularView<Eigen::UnitLower>().solveInPlace(x);
  factors.template triangularView<Eigen::Upper>().solveInPlace(x);
  mapped(rhs, size, columns) = x;
  return true;
}

template <Instructions, class S>
void solve_triangular(const S* matrix, int64_t size, bool lower, S* rhs, int64_t columns) {
  auto triangle = aligned_copy(matrix, size, size), x = aligned_copy(rhs, size, columns);
  if (lower) triangle.template triangularView<Eigen::Lower>().solveInPlace(x);
  else triangle.template triangularView<Eigen::Upper>().solveInPlace(x);
  mapped(rhs, size, columns) = x;
}

template bool factor_cholesky<compiled>(double*, int64_t);
template bool factor_cholesky<compiled>(std::complex<double>*, int64_t);
template int find_pivots<compiled>(double*, int64_t, int*);
template int find_pivots<compiled>(std::complex<double>*, int64_t, int*);
template bool solve<compiled>(const double*, int64_t, double*, int64_t);
template bool solve<compiled>(const std::complex<double>*, int64_t, std::complex<double>*, int64_t);
template void solve_triangular<compiled>(const double*, int64_t, bool, double*, int64_t);
template void solve_triangular<compiled>(
    const std::complex<double>*, int64_t, bool, std::complex<double>*, int64_t);

}  // namespace troupe::cpu::routines
