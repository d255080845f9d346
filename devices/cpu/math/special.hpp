#pragma once

#include <cmath>
#include <limits>

#include <unsupported/Eigen/SpecialFunctions>

/// Functions of doubles that kernels of the CPU and of NVIDIA's cards compute alike.
namespace troupe::cpu {

/// The lower regularized incomplete gamma function P(a, x), its derivative in a, and the upper one.
EIGEN_DEVICE_FUNC inline double igamma(double a, double x) { return Eigen::numext::igamma(a, x); }
EIGEN_DEVICE_FUNC inline double igamma_derivative(double a, double x) {
  return Eigen::numext::igamma_der_a(a, x);
}
EIGEN_DEVICE_FUNC inline double igammac(double a, double x) { return Eigen::numext::igammac(a, x); }

/// The derivative of a gamma number in its shape parameter, where the probability to be below it is
/// kept.
EIGEN_DEVICE_FUNC inline double gamma_derivative(double alpha, double sample) {
  return Eigen::numext::gamma_sample_der_alpha(alpha, sample);
}

/// The regularized incomplete beta integral I_x(a, b).
EIGEN_DEVICE_FUNC inline double betainc(double a, double b, double x) {
  return Eigen::numext::betainc(a, b, x);
}

/// The sum of (q + k)^-x over all k >= 0, for x > 1 and q > 0.
EIGEN_DEVICE_FUNC inline double zeta_of_positive(double x, double q) {
  return q == std::numeric_limits<double>::infinity() ? 0 : Eigen::numext::zeta(x, q);
}

/// The sum of (q + k)^-x over all k >= 0; infinite or NaN where there is none.
EIGEN_DEVICE_FUNC inline double hurwitz_zeta(double x, double q) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();
  if (x == 1) return infinity;
  if (!(x > 1) || q != q) return not_a_number;
  if (q > 0) return zeta_of_positive(x, q);
  bool is_even = std::fmod(x, 2.0) == 0;
  if (q == std::floor(q)) return is_even ? infinity : not_a_number;
  if (x != std::floor(x)) return not_a_number;
  // The terms below 0 are, but for their sign, those of another such sum without its end. Adding
  // them up one by one could take forever.
  auto above = q - std::floor(q), below = std::ceil(q) - q;
  auto terms_below = zeta_of_positive(x, below) - zeta_of_positive(x, 1 - q);
  return zeta_of_positive(x, above) + (is_even ? terms_below : -terms_below);
}

/// The derivative of that order of digamma; NaN unless the order is a whole number.
EIGEN_DEVICE_FUNC inline double polygamma(double order, double x) {
  if (order != std::floor(order) || !(order >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (order == 0) return Eigen::numext::digamma(x);
  auto sign = std::fmod(order, 2.0) == 0 ? -1 : 1;
  return sign * std::tgamma(order + 1) * hurwitz_zeta(order + 1, x);
}

}  // namespace troupe::cpu
