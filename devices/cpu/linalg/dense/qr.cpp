#include <Eigen/QR>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"

namespace troupe::cpu {

template <class S>
QrFactors<S> factor_qr(const Dense<S>& matrix, bool full) {
  auto inner = full ? matrix.rows() : std::min(matrix.rows(), matrix.cols());
  QrFactors<S> result{
      Dense<S>::Identity(matrix.rows(), inner), Dense<S>::Zero(inner, matrix.cols())};
  if (matrix.size() == 0) return result;
  Eigen::HouseholderQR<Dense<S>> qr(matrix);
  for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
    auto count = std::min(column + 1, inner);
    result.r.col(column).head(count) = qr.matrixQR().col(column).head(count);
  }
  result.q.applyOnTheLeft(qr.householderQ());
  return result;
}

template QrFactors<double> factor_qr(const Dense<double>&, bool);
template QrFactors<complex128> factor_qr(const Dense<complex128>&, bool);

}  // namespace troupe::cpu
