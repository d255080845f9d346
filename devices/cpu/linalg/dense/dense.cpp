#include "troupe/devices/cpu/linalg/dense/dense.hpp"

#include "troupe/devices/cpu/linalg/dense/instructions.hpp"

namespace troupe::cpu {

using routines::Instructions, routines::with_instructions;

template <class T>
void multiply_by_eigen(const Product<T>& p) {
  with_instructions([&]<Instructions set>() { routines::multiply<set>(p); });
}

template <class S>
bool factor_cholesky(Dense<S>& matrix) {
  return with_instructions([&]<Instructions set>() {
    return routines::factor_cholesky<set>(matrix.data(), matrix.rows());
  });
}

template <class S>
Pivots<S> find_pivots(const Dense<S>& matrix) {
  Pivots<S> pivots{matrix, Eigen::VectorXi(matrix.rows()), {}};
  pivots.sign = with_instructions([&]<Instructions set>() {
    return routines::find_pivots<set>(pivots.factors.data(), matrix.rows(), pivots.rows.data());
  });
  return pivots;
}

template <class S>
bool solve(const Dense<S>& matrix, Dense<S>& rhs) {
  return with_instructions([&]<Instructions set>() {
    return routines::solve<set>(matrix.data(), matrix.rows(), rhs.data(), rhs.cols());
  });
}

template <class S>
void solve_triangular(const Dense<S>& matrix, bool lower, Dense<S>& rhs) {
  with_instructions([&]<Instructions set>() {
    routines::solve_triangular<set>(matrix.data(), matrix.rows(), lower, rhs.data(), rhs.cols());
  });
}

template <class S>
QrFactors<S> factor_qr(const Dense<S>& matrix, bool full) {
  auto rows = matrix.rows(), columns = matrix.cols();
  auto inner = full ? rows : std::min(rows, columns);
  QrFactors<S> result{Dense<S>::Identity(rows, inner), Dense<S>::Zero(inner, columns)};
  if (matrix.size() > 0)
    with_instructions([&]<Instructions set>() {
      routines::factor_qr<set>(
          matrix.data(), rows, columns, inner, result.q.data(), result.r.data());
    });
  return result;
}

template <class S>
bool find_eigenvalues(const Dense<S>& matrix, Eigen::VectorXd& values, Dense<S>* vectors) {
  auto size = matrix.rows();
  values.resize(size);
  if (vectors) vectors->resize(size, size);
  return with_instructions([&]<Instructions set>() {
    return routines::find_eigenvalues<set>(
        matrix.data(), size, values.data(), vectors ? vectors->data() : nullptr);
  });
}

template <class S>
Dense<S> multiply(const Dense<S>& a, const Dense<S>& b) {
  Dense<S> out(a.rows(), b.cols());
  if (a.cols() == 0) out.setZero();
  if (out.size() == 0 || a.cols() == 0) return out;
  with_instructions([&]<Instructions set>() {
    routines::multiply<set>(a.data(), b.data(), out.data(), a.rows(), a.cols(), b.cols());
  });
  return out;
}

template void multiply_by_eigen(const Product<float>&);
template void multiply_by_eigen(const Product<double>&);
template void multiply_by_eigen(const Product<complex64>&);
template void multiply_by_eigen(const Product<complex128>&);

template bool factor_cholesky(Dense<double>&);
template bool factor_cholesky(Dense<complex128>&);
template Pivots<double> find_pivots(const Dense<double>&);
template Pivots<complex128> find_pivots(const Dense<complex128>&);
template bool solve(const Dense<double>&, Dense<double>&);
template bool solve(const Dense<complex128>&, Dense<complex128>&);
template void solve_triangular(const Dense<double>&, bool, Dense<double>&);
template void solve_triangular(const Dense<complex128>&, bool, Dense<complex128>&);
template QrFactors<double> factor_qr(const Dense<double>&, bool);
template QrFactors<complex128> factor_qr(const Dense<complex128>&, bool);
template bool find_eigenvalues(const Dense<double>&, Eigen::VectorXd&, Dense<double>*);
template bool find_eigenvalues(const Dense<complex128>&, Eigen::VectorXd&, Dense<complex128>*);
template Dense<double> multiply(const Dense<double>&, const Dense<double>&);
template Dense<complex128> multiply(const Dense<complex128>&, const Dense<complex128>&);

}  // namespace troupe::cpu
