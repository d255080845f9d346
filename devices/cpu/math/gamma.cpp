#include <cmath>
#include <limits>

#include <unsupported/Eigen/SpecialFunctions>

#include "troupe/devices/cpu/math/special.hpp"

namespace troupe::cpu {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// For x > 1 and q > 0.
double zeta_of_positive(double x, double q) {
  return q == infinity ? 0 : Eigen::numext::zeta(x, q);
}

}  // namespace

double igamma(double a, double x) { return Eigen::numext::igamma(a, x); }
double igamma_derivative(double a, double x) { return Eigen::numext::igamma_der_a(a, x); }
double igammac(double a, double x) { return Eigen::numext::igammac(a, x); }
double betainc(double a, double b, double x) { return Eigen::numext::betainc(a, b, x); }

double hurwitz_zeta(double x, double q) {
  if (x == 1) return infinity;
  if (!(x > 1) || q != q) return not_a_number;
  if (q > 0) return zeta_of_positive(x, q);
  bool is_even = std::fmod(x, 2) == 0;
  if (q == std::floor(q)) return is_even ? infinity : not_a_number;
  if (x != std::floor(x)) return not_a_number;
  // The terms below 0 are, but for their sign, those of another such sum without its end. Adding
  // them up one by one could take forever.
  auto above = q - std::floor(q), below = std::ceil(q) - q;
  auto terms_below = zeta_of_positive(x, below) - zeta_of_positive(x, 1 - q);
  return zeta_of_positive(x, above) + (is_even ? terms_below : -terms_below);
}

double polygamma(double order, double x) {
  if (order != std::floor(order) || !(order >= 0)) return not_a_number;
  if (order == 0) return Eigen::numext::digamma(x);
  auto sign = std::fmod(order, 2) == 0 ? -1 : 1;
  return sign * std::tgamma(order + 1) * hurwitz_zeta(order + 1, x);
}

}  // namespace troupe::cpu
