#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "troupe/devices/cpu/linalg/dense/routines/compiled.hpp"

namespace troupe::cpu::routines {

template <Instructions, class S>
void factor_qr(const S* matrix, int64_t rows, int64_t columns, int64_t inner, S* q, S* r) {
  auto factors = aligned_copy(matrix, rows, columns);
  Eigen::HouseholderQR<Eigen::Ref<Matrix<S>>> qr(factors);
  auto upper = mapped(r, inner, columns);
  for (int64_t column = 0; column < columns; ++column) {
    auto count = column + 1 < inner ? column + 1 : inner;
    upper.col(column).head(count) = factors.col(column).head(count);
  }
  Matrix<S> columns_of_q = Matrix<S>::Identity(rows, inner);
  columns_of_q.applyOnTheLeft(qr.householderQ());
  mapped(q, rows, inner) = columns_of_q;
}

template <Instructions, class S>
bool find_eigenvalues(const S* matrix, int64_t size, double* values, S* vectors) {
  Eigen::SelfAdjointEigenSolver<Matrix<S>> solver(
      aligned_copy(matrix, size, size),
      vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return false;
  mapped(values, size, 1) = solver.eigenvalues();
  if (vectors) mapped(vectors, size, size) = solver.eigenvectors();
  return true;
}

namespace {

/// Makes two columns of `w` orthogonal and turns those of `v` alike. False where nothing is to do;
/// also where a column is not above `zero`.
template <class S>
bool turn_columns(Matrix<S>& w, Matrix<S>& v, int64_t p, int64_t q, double zero) {
  auto alpha = w.col(p).squaredNorm(), beta = w.col(q).squaredNorm();
  auto norms = std::sqrt(alpha) * std::sqrt(beta);
  if (std::sqrt(alpha < beta ? alpha : beta) <= zero) return false;
  S inner = w.col(p).dot(w.col(q));
  auto size = std::abs(inner);
  constexpr auto epsilon = std::numeric_limits<double>::epsilon();
  if (size <= std::sqrt(double(w.rows())) * epsilon * norms) return false;
  auto zeta = (beta - alpha) / (2 * size);
  auto tangent = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
  auto cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
  S phase = inner / size;
  auto turn = [&](auto x, auto y) {
    for (int64_t i = 0; i < x.size(); ++i) {
      S first = x[i], second = y[i] * Eigen::numext::conj(phase);
      x[i] = cosine * first - sine * second;
      y[i] = sine * first + cosine * second;
    }
  };
  turn(w.col(p), w.col(q));
  turn(v.col(p), v.col(q));
  return true;
}

}  // namespace

template <Instructions, class S>
void orthogonalize(S* w, S* v, int64_t rows, int64_t columns, double zero) {
  auto of_w = aligned_copy(w, rows, columns), of_v = aligned_copy(v, columns, columns);
  constexpr int most_sweeps = 60;  // some 10 are usual
  auto is_turned = true;
  for (int sweep = 0; sweep < most_sweeps && is_turned; ++sweep) {
    is_turned = false;
    for (int64_t p = 0; p < columns; ++p)
      for (int64_t q = p + 1; q < columns; ++q)
        if (turn_columns(of_w, of_v, p, q, zero)) is_turned = true;
  }
  mapped(w, rows, columns) = of_w;
  mapped(v, columns, columns) = of_v;
}

using Complex = std::complex<double>;
template void factor_qr<compiled>(const double*, int64_t, int64_t, int64_t, double*, double*);
template void factor_qr<compiled>(const Complex*, int64_t, int64_t, int64_t, Complex*, Complex*);
template bool find_eigenvalues<compiled>(const double*, int64_t, double*, double*);
template bool find_eigenvalues<compiled>(const Complex*, int64_t, double*, Complex*);
template void orthogonalize<compiled>(double*, double*, int64_t, int64_t, double);
template void orthogonalize<compiled>(Complex*, Complex*, int64_t, int64_t, double);

}  // namespace troupe::cpu::routines
