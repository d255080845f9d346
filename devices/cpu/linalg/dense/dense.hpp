#pragma once

#include <type_traits>

#include <Eigen/Core>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu {

/// A matrix to be decomposed. Decompositions are compiled for S = double and complex128 only, since
/// every one takes the compiler long: matrices of single precision are computed in double.
template <class S>
using Dense = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

/// The type in which elements of type T are computed.
template <class T>
using Wide = std::conditional_t<
    std::is_same_v<T, complex64> || std::is_same_v<T, complex128>, complex128, double>;

/// Makes the lower triangular L of matrix = L * adjoint(L) from the lower half of a matrix. False
/// where it is not positive definite.
template <class S>
bool factor_cholesky(Dense<S>& matrix);

/// A matrix as a product with triangular factors, rows exchanged.
template <class S>
struct Pivots {
  Dense<S> factors;  // the upper one, and below the diagonal the lower one, which has ones there
  Eigen::VectorXi rows;  // for each row of the product, which one of the matrix it is
  S sign;                // of the exchange of rows: 1 or -1
  bool is_singular() const { return (factors.diagonal().array() == S(0)).any(); }
};
template <class S>
Pivots<S> find_pivots(const Dense<S>& matrix);

/// Makes `rhs` the x of matrix * x = rhs. False where the matrix has no inverse.
template <class S>
bool solve(const Dense<S>& matrix, Dense<S>& rhs);

/// As solve(), of the lower or the upper half of a matrix, whose diagonal has no zeros.
template <class S>
void solve_triangular(const Dense<S>& matrix, bool lower, Dense<S>& rhs);

/// q, with orthonormal columns, and upper triangular r. `full`: q is square.
template <class S>
struct QrFactors {
  Dense<S> q, r;
};
template <class S>
QrFactors<S> factor_qr(const Dense<S>& matrix, bool full);

/// Eigenvalues in ascending order, and eigenvectors as columns, of which only the lower half of a
/// matrix is read. False where they do not converge.
template <class S>
bool find_eigenvalues(const Dense<S>& matrix, Eigen::VectorXd& values, Dense<S>* vectors);

/// matrix = u * diag(s) * adjoint(v), the greatest of s first. `full`: u and v are square.
template <class S>
struct SingularValues {
  Eigen::VectorXd s;
  Dense<S> u, v;
};
template <class S>
SingularValues<S> find_singular_values(const Dense<S>& matrix, bool full);

/// Makes of a finite matrix the sum of all its powers matrix^k / k!.
template <class S>
void exponentiate(Dense<S>& matrix);

/// Makes of a finite matrix the one whose square it is; NaN where it was not found.
template <class S>
void take_square_root(Dense<S>& matrix);

/// Makes of a finite matrix the one whose exponential it is. False where it was not found.
bool take_logarithm(Dense<complex128>& matrix);

/// a * b.
template <class S>
Dense<S> multiply(const Dense<S>& a, const Dense<S>& b);

}  // namespace troupe::cpu
