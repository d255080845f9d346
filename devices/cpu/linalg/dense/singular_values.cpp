#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "troupe/devices/cpu/linalg/dense/dense.hpp"

namespace troupe::cpu {
namespace {

// Jacobi's method from one side: it turns pairs of columns until all are orthogonal. It is exact
// also for small singular values, and takes the compiler far less than Eigen's SVDs.

constexpr double svd_epsilon = std::numeric_limits<double>::epsilon();

/// Makes two columns of `w` orthogonal and turns those of `v` alike. False where nothing is to do;
/// also where a column is not above `zero`.
template <class S>
bool turn_columns(Dense<S>& w, Dense<S>& v, Eigen::Index p, Eigen::Index q, double zero) {
  auto alpha = w.col(p).squaredNorm(), beta = w.col(q).squaredNorm();
  auto norms = std::sqrt(alpha) * std::sqrt(beta);
  if (std::sqrt(std::min(alpha, beta)) <= zero) return false;
  S inner = w.col(p).dot(w.col(q));
  auto size = std::abs(inner);
  if (size <= std::sqrt(double(w.rows())) * svd_epsilon * norms) return false;
  auto zeta = (beta - alpha) / (2 * size);
  auto tangent = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(1.0, zeta));
  auto cosine = 1 / std::hypot(1.0, tangent), sine = cosine * tangent;
  S phase = inner / size;
  for (auto* columns : {&w, &v}) {
    auto *x = columns->col(p).data(), *y = columns->col(q).data();
    for (Eigen::Index i = 0; i < columns->rows(); ++i) {
      S first = x[i], second = y[i] * Eigen::numext::conj(phase);
      x[i] = cosine * first - sine * second;
      y[i] = sine * first + cosine * second;
    }
  }
  return true;
}

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

/// Of matrices with at least as many rows as columns.
template <class S>
SingularValues<S> decompose_tall(const Dense<S>& matrix, bool full) {
  auto rows = matrix.rows(), columns = matrix.cols();
  Dense<S> w = matrix, v = Dense<S>::Identity(columns, columns);
  auto zero = svd_epsilon * w.norm();
  constexpr int most_sweeps = 60;  // some 10 are usual
  auto is_turned = true;
  for (int sweep = 0; sweep < most_sweeps && is_turned; ++sweep) {
    is_turned = false;
    for (Eigen::Index p = 0; p < columns; ++p)
      for (Eigen::Index q = p + 1; q < columns; ++q)
        if (turn_columns(w, v, p, q, zero)) is_turned = true;
  }
  Eigen::VectorXd norms(columns);
  for (Eigen::Index i = 0; i < columns; ++i) norms(i) = w.col(i).norm();
  std::vector<Eigen::Index> order(static_cast<size_t>(columns));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return norms(a) > norms(b); });
  // What is left of a column of rounding errors has no direction.
  auto rank = std::ranges::count_if(order, [&](auto i) { return norms(i) > zero; });
  SingularValues<S> result{Eigen::VectorXd(columns), {}, Dense<S>(columns, columns)};
  Dense<S> u(rows, rank);
  for (Eigen::Index i = 0; i < columns; ++i) {
    auto from = order[static_cast<size_t>(i)];
    result.s(i) = norms(from);
    result.v.col(i) = v.col(from);
    if (i < rank) u.col(i) = w.col(from) / norms(from);
  }
  result.u = complete_basis(u, full ? rows : columns);
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
  if (matrix.rows() == matrix.cols()) return decompose_tall(matrix, full);
  // The triangle has as many rows as columns, and the same singular values.
  auto qr = factor_qr(matrix, full);
  auto result = decompose_tall<S>(qr.r.topRows(matrix.cols()), full);
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
