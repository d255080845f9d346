#include <Eigen/Cholesky>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"

namespace troupe::cpu {

template <class S>
bool factor_cholesky(Dense<S>& matrix) {
  Eigen::LLT<Eigen::Ref<Dense<S>>> llt(matrix);
  for (Eigen::Index column = 1; column < matrix.cols(); ++column)
    matrix.col(column).head(column).setZero();
  return llt.info() == Eigen::Success;
}

template bool factor_cholesky(Dense<double>&);
template bool factor_cholesky(Dense<complex128>&);

}  // namespace troupe::cpu
