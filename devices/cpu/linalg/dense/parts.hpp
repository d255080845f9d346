#pragma once

#include <cstdint>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {

/// A block of a matrix. Decompositions halve matrices until they are small, so that nearly all of
/// their work are products of blocks.
template <class S>
using DensePart = Eigen::Ref<
    std::conditional_t<
        std::is_const_v<S>, const Dense<std::remove_const_t<S>>, Dense<std::remove_const_t<S>>>,
    0, Eigen::OuterStride<>>;

/// Calls f(begin, end) for columns of a right-hand side, in parallel, but not so few that it would
/// take longer to read the matrix, of n rows, for them.
template <class F>
void each_columns(int64_t columns, int64_t n, const F& f) {
  const auto few = std::max<int64_t>(16, columns / 8);
  const auto parts = (columns + few - 1) / few;
  parallel_ranges(parts, few * n * n, [&](int64_t begin, int64_t end) {
    f(columns * begin / parts, columns * end / parts);
  });
}

struct TriangularForm {
  bool lower = false;
  bool has_unit_diagonal = false;  // which is not read
};

/// As solve_triangular(), on this thread.
template <class S>
void solve_triangular_part(DensePart<const S> matrix, TriangularForm form, DensePart<S> rhs);

/// out -= a * b, with b[row * b_row_stride + column * b_column_stride].
void subtract_product_of_doubles(
    DensePart<double> out, DensePart<const double> a, const double* b, int64_t b_row_stride,
    int64_t b_column_stride);

/// out -= a * b.
template <class S>
void subtract_product(DensePart<S> out, DensePart<const S> a, DensePart<const S> b) {
  if constexpr (std::is_same_v<S, double>)
    subtract_product_of_doubles(out, a, b.data(), 1, b.outerStride());
  else out.noalias() -= a * b;
}

/// out -= a * adjoint(b).
template <class S>
void subtract_adjoint_product(DensePart<S> out, DensePart<const S> a, DensePart<const S> b) {
  if constexpr (std::is_same_v<S, double>)
    subtract_product_of_doubles(out, a, b.data(), b.outerStride(), 1);
  else out.noalias() -= a * b.adjoint();
}

}  // namespace troupe::cpu
