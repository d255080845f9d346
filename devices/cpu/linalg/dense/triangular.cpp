#include "troupe/devices/cpu/linalg/dense/dense.hpp"
#include "troupe/devices/cpu/linalg/product.hpp"

namespace troupe::cpu {

template <class S>
void solve_triangular(const Dense<S>& matrix, bool lower, Dense<S>& rhs) {
  auto n = matrix.rows();
  for (Eigen::Index column = 0; column < rhs.cols(); ++column) {
    auto x = rhs.col(column);
    for (Eigen::Index step = 0; step < n; ++step) {
      auto i = lower ? step : n - 1 - step;
      x(i) /= matrix(i, i);
      if (lower) x.tail(n - 1 - i) -= x(i) * matrix.col(i).tail(n - 1 - i);
      else x.head(i) -= x(i) * matrix.col(i).head(i);
    }
  }
}

template <class S>
Dense<S> multiply(const Dense<S>& a, const Dense<S>& b) {
  Dense<S> out(a.rows(), b.cols());
  if (a.cols() == 0) out.setZero();
  if (out.size() == 0 || a.cols() == 0) return out;
  // By columns a matrix lies as its transpose by rows: so this is transposed(b) * transposed(a).
  multiply_by_eigen(Product<S>{
      .rows = b.cols(),
      .inner = a.cols(),
      .columns = a.rows(),
      .transpose_a = false,
      .transpose_b = false,
      .a = b.data(),
      .b = a.data(),
      .out = out.data(),
      .a_stride = b.rows(),
      .b_stride = a.rows(),
      .out_stride = out.rows()});
  return out;
}

template void solve_triangular(const Dense<double>&, bool, Dense<double>&);
template void solve_triangular(const Dense<complex128>&, bool, Dense<complex128>&);
template Dense<double> multiply(const Dense<double>&, const Dense<double>&);
template Dense<complex128> multiply(const Dense<complex128>&, const Dense<complex128>&);

}  // namespace troupe::cpu
