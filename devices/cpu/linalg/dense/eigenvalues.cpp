#include <Eigen/Eigenvalues>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"

namespace troupe::cpu {

template <class S>
bool find_eigenvalues(const Dense<S>& matrix, Eigen::VectorXd& values, Dense<S>* vectors) {
  Eigen::SelfAdjointEigenSolver<Dense<S>> solver(
      matrix, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return false;
  values = solver.eigenvalues();
  if (vectors) *vectors = solver.eigenvectors();
  return true;
}

template bool find_eigenvalues(const Dense<double>&, Eigen::VectorXd&, Dense<double>*);
template bool find_eigenvalues(const Dense<complex128>&, Eigen::VectorXd&, Dense<complex128>*);

}  // namespace troupe::cpu
