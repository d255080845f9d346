#include <Eigen/LU>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"

namespace troupe::cpu {

template <class S>
Pivots<S> find_pivots(const Dense<S>& matrix) {
  Eigen::PartialPivLU<Dense<S>> lu(matrix);
  const auto& exchange = lu.permutationP();
  return {lu.matrixLU(), exchange.inverse().eval().indices(), S(double(exchange.determinant()))};
}

template <class S>
bool solve(const Dense<S>& matrix, Dense<S>& rhs) {
  Eigen::PartialPivLU<Dense<S>> lu(matrix);
  if ((lu.matrixLU().diagonal().array() == S(0)).any()) return false;
  rhs = lu.solve(rhs).eval();
  return true;
}

template Pivots<double> find_pivots(const Dense<double>&);
template Pivots<complex128> find_pivots(const Dense<complex128>&);
template bool solve(const Dense<double>&, Dense<double>&);
template bool solve(const Dense<complex128>&, Dense<complex128>&);

}  // namespace troupe::cpu
