#pragma once

namespace troupe::cpu {

/// The lower regularized incomplete gamma function P(a, x), its derivative in a, and the upper one.
double igamma(double a, double x);
double igamma_derivative(double a, double x);
double igammac(double a, double x);

/// The regularized incomplete beta integral I_x(a, b).
double betainc(double a, double b, double x);

/// The sum of (q + k)^-x over all k >= 0; infinite or NaN where there is none.
double hurwitz_zeta(double x, double q);

/// The derivative of that order of digamma; NaN unless the order is a whole number.
double polygamma(double order, double x);

}  // namespace troupe::cpu
