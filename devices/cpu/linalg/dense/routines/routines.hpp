#pragma once

#include <cstdint>

#include "troupe/devices/cpu/linalg/product.hpp"

/// Eigen's products and decompositions, compiled once for each set of instructions: with wide
/// vectors they take a fraction of the time. Matrices lie by columns, without gaps between them.
///
/// Eigen has one namespace for each set (CMakeLists.txt gives it another name), since the linker
/// keeps one of several functions of a name, and a processor need not have its instructions. For
/// the same reason these files call no function templates of the standard library that are not
/// inlined: a test looks at what was compiled.
namespace troupe::cpu::routines {

enum class Instructions { any, avx2, avx512 };

/// Of float, double and complex numbers, of any order; the inner size is not 0.
template <Instructions, class T>
void multiply(const Product<T>& p);

// The others are for S = double and complex128. What they do is described in dense.hpp.

/// out = a * b, of [rows, inner] and [inner, columns], which are not empty.
template <Instructions, class S>
void multiply(const S* a, const S* b, S* out, int64_t rows, int64_t inner, int64_t columns);

template <Instructions, class S>
bool factor_cholesky(S* matrix, int64_t size);

/// Makes of the matrix its factors. Returns the sign of the exchange of rows.
template <Instructions, class S>
int find_pivots(S* matrix, int64_t size, int* rows);

template <Instructions, class S>
bool solve(const S* matrix, int64_t size, S* rhs, int64_t columns);

template <Instructions, class S>
void solve_triangular(const S* matrix, int64_t size, bool lower, S* rhs, int64_t columns);

/// The matrix is [rows, columns], q [rows, inner] and r [inner, columns], of zeros.
template <Instructions, class S>
void factor_qr(const S* matrix, int64_t rows, int64_t columns, int64_t inner, S* q, S* r);

/// Without eigenvectors where they are null.
template <Instructions, class S>
bool find_eigenvalues(const S* matrix, int64_t size, double* values, S* vectors);

/// Jacobi's method from one side: turns pairs of columns of `w`, [rows, columns], until all are
/// orthogonal, and those of `v`, [columns, columns], alike. Columns that are not longer than `zero`
/// stay. It is exact also for small singular values, and takes the compiler far less than Eigen's
/// own decompositions.
template <Instructions, class S>
void orthogonalize(S* w, S* v, int64_t rows, int64_t columns, double zero);

}  // namespace troupe::cpu::routines
