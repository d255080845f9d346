#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"
#include "troupe/devices/cpu/linalg/dense/instructions.hpp"

namespace troupe::cpu {
namespace {

/// The first columns, followed by as many that are orthonormal to them.
template <class S>
Dense<S> complete_basis(const Dense<S>& columns, Eigen::Index count) {
  Dense<S> whole(columns.rows(), count);
  auto known = columns.cols();
  whole.leftCols(known) = columns;
  if (count > known)
    whole.rightCols(count - known) =
        factor_qr(columns, /*full=*/true).q.middleCols(known, count - known);
  return whole;
}

template <class S>
SingularValues<S> decompose_square(const Dense<S>& matrix) {
  auto columns = matrix.cols();
  Dense<S> w = matrix, v = Dense<S>::Identity(columns, columns);
  auto zero = std::numeric_limits<double>::epsilon() * w.norm();
  routines::with_instructions([&]<routines::Instructions set>() {
    routines::orthogonalize<set>(w.data(), v.data(), columns, columns, zero);
  });
  Eigen::VectorXd norms(columns);
  for (Eigen::Index i = 0; i < columns; ++i) norms(i) = w.col(i).norm();
  std::vector<Eigen::Index> order(static_cast<size_t>(columns));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return norms(a) > norms(b); });
  // What is left of a column of rounding errors has no direction.
  auto rank = std::ranges::count_if(order, [&](auto i) { return norms(i) > zero; });
  SingularValues<S> result{Eigen::VectorXd(columns), {}, Dense<S>(columns, columns)};
  Dense<S> u(columns, rank);
  for (Eigen::Index i = 0; i < columns; ++i) {
    auto from = order[static_cast<size_t>(i)];
    result.s(i) = norms(from);
    result.v.col(i) = v.col(from);
    if (i < rank) u.col(i) = w.col(from) / norms(from);
  }
  result.u = complete_basis(u, columns);
  return result;
}

/// Of matrices in which the largest number is 1, so that squares stay finite.
template <class S>
SingularValues<S> decompose_scaled(const Dense<S>& matrix, bool full) {
  if (matrix.rows() < matrix.cols()) {
    auto result = decompose_scaled<S>(matrix.adjoint(), full);
    std::swap(result.u, result.v);
    return result;
  }
  if (matrix.rows() == matrix.cols()) return decompose_square(matrix);
  // The triangle has as many rows as columns, and the same singular values.
  auto qr = factor_qr(matrix, full);
  auto result = decompose_square<S>(qr.r.topRows(matrix.cols()));
  auto q = std::move(qr.q);
  q.leftCols(matrix.cols()) = multiply<S>(q.leftCols(matrix.cols()), result.u);
  result.u = std::move(q);
  return result;
}

}  // namespace

template <class S>
SingularValues<S> find_singular_values(const Dense<S>& matrix, bool full) {
  auto scale = matrix.size() > 0 ? matrix.cwiseAbs().maxCoeff() : 0.0;
  if (scale == 0) return decompose_scaled(matrix, full);
  // Twice, since the reciprocal of the least numbers is infinite.
  auto root = std::sqrt(scale);
  auto result = decompose_scaled<S>((matrix / root) / root, full);
  result.s *= scale;
  return result;
}

template SingularValues<double> find_singular_values(const Dense<double>&, bool);
template SingularValues<complex128> find_singular_values(const Dense<complex128>&, bool);

}  // namespace troupe::cpu
