#pragma once

#include "troupe/devices/cpu/linalg/matrix_batch.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// What the kernels of other devices check and refuse, too.

/// A matrix and a right-hand side for each system of linear equations.
struct SystemSizes {
  MatrixBatch matrices;
  int64_t columns;  // of the right-hand sides
  Shape solution;

  static Result<SystemSizes> of(const Launch& launch, bool are_square);
};

/// The matrices of CholeskyGrad.
Result<MatrixBatch> cholesky_grad_batch(const Launch& launch);

inline Status not_positive_definite() {
  return invalid_argument("the matrix has no Cholesky decomposition: not positive definite");
}
/// The l2_regularizer of MatrixSolveLs.
Result<double> regularizer_input(const Launch& launch);
inline Status not_of_full_rank() {
  return invalid_argument(
      "the matrix has not full rank, or nearly so: it takes fast=false or a greater "
      "'l2_regularizer'");
}
inline Status not_invertible() { return invalid_argument("the matrix is not invertible"); }
inline Status no_eigenvalues() {
  return invalid_argument("the matrix has no eigenvalues that could be found");
}

// The parts of the decompositions family, each in the file of its name.
void add_solver_kernels(KernelCatalog& catalog);
void add_factorization_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
