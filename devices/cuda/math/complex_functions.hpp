#pragma once

#include "troupe/devices/cuda/math/complex.hpp"

namespace troupe::cuda::complex_numbers {

// What C's functions of complex numbers compute, which those of CPUs are: of infinities and NaNs,
// too, by annex G of its standard. Most formulas are Kahan's ("Branch cuts for complex elementary
// functions", 1987). Functions of real numbers are called by their full names here.

template <class R>
struct Range;
template <>
struct Range<float> {
  static constexpr float greatest = 3.4028235e38f, least = 1.1754944e-38f;
  static constexpr float exp_max = 88;  // of numbers up to it the exponential is finite
};
template <>
struct Range<double> {
  static constexpr double greatest = 1.7976931348623157e308, least = 2.2250738585072014e-308;
  static constexpr double exp_max = 709;
};
template <class R>
constexpr R half_pi = R(1.5707963267948966192313);
template <class R>
constexpr R log_2 = R(0.69314718055994530941723);

template <class R>
TROUPE_BOTH inline R infinity() {
  return static_cast<R>(HUGE_VAL);
}
template <class R>
TROUPE_BOTH inline R not_a_number() {
  return infinity<R>() - infinity<R>();
}
template <class R>
TROUPE_BOTH inline bool is_nan(R x) {
  return x != x;
}
template <class R>
TROUPE_BOTH inline bool is_infinite(R x) {
  return ::fabs(x) > Range<R>::greatest;
}
template <class R>
TROUPE_BOTH inline bool is_finite(R x) {
  return ::fabs(x) <= Range<R>::greatest;
}
template <class R>
TROUPE_BOTH inline bool is_any_infinite(Complex<R> z) {
  return is_infinite(z.real) || is_infinite(z.imag);
}
template <class R>
TROUPE_BOTH inline bool is_any_nan(Complex<R> z) {
  return is_nan(z.real) || is_nan(z.imag);
}
/// The greater magnitude of both parts, beside a NaN the other one.
template <class R>
TROUPE_BOTH inline R greater_part(Complex<R> z) {
  auto x = ::fabs(z.real), y = ::fabs(z.imag);
  return x > y || is_nan(y) ? x : y;
}

template <class R>
TROUPE_BOTH inline R magnitude(Complex<R> z) {
  return ::hypot(z.real, z.imag);
}
template <class R>
TROUPE_BOTH inline R angle(Complex<R> z) {
  return ::atan2(z.imag, z.real);
}

// -- exponentials and logarithms

template <class R>
TROUPE_BOTH inline Complex<R> exp(Complex<R> z) {
  if (z.imag == R(0)) return {::exp(z.real), z.imag};
  if (is_infinite(z.real) && !is_finite(z.imag))
    return z.real < R(0) ? Complex<R>{R(0), ::copysign(R(0), z.imag)}
                         : Complex<R>{z.real, not_a_number<R>()};
  auto cosine = ::cos(z.imag), sine = ::sin(z.imag);
  if (z.real > Range<R>::exp_max && is_finite(z.real)) {
    // In two steps: the product may be finite.
    auto root = ::exp(z.real / 2);
    return {root * cosine * root, root * sine * root};
  }
  auto size = ::exp(z.real);
  return {size * cosine, size * sine};
}

/// exp(z) - 1, without subtracting numbers that are nearly the same.
template <class R>
TROUPE_BOTH inline Complex<R> expm1(Complex<R> z) {
  auto half = ::sin(z.imag / 2);
  return {::expm1(z.real) * ::cos(z.imag) - 2 * half * half, ::exp(z.real) * ::sin(z.imag)};
}

/// The logarithm of the magnitude.
template <class R>
TROUPE_BOTH inline R log_magnitude(Complex<R> z) {
  auto greater = greater_part(z);
  if (greater > R(0.5) && greater < R(2)) {
    // The square of the magnitude less 1, with what is lost where both squares are rounded: near 1
    // little else is left.
    auto less = ::fabs(z.real) == greater ? z.imag : z.real;
    auto square = product(greater, greater), other = product(less, less);
    auto lost = ::fma(greater, greater, -square) + ::fma(less, less, -other);
    return ::log1p(square - 1 + other + lost) / 2;
  }
  if (is_infinite(greater)) return greater;
  if (greater > Range<R>::greatest / 2) return ::log(::hypot(z.real / 2, z.imag / 2)) + log_2<R>;
  return ::log(magnitude(z));
}

template <class R>
TROUPE_BOTH inline Complex<R> log(Complex<R> z) {
  return {log_magnitude(z), angle(z)};
}

/// log(1 + z), exact near 0, too.
template <class R>
TROUPE_BOTH inline Complex<R> log1p(Complex<R> z) {
  auto a = z.real, b = z.imag;
  if (!(::fabs(a) < R(0.5) && ::fabs(b) < R(0.5))) return log(Complex<R>{1 + a, b});
  return {::log1p(a * (2 + a) + b * b) / 2, ::atan2(b, 1 + a)};
}

/// Where an infinite number lies, as one of finite parts.
template <class R>
TROUPE_BOTH inline Complex<R> direction_of_infinite(Complex<R> z) {
  return {
      ::copysign(is_infinite(z.real) ? R(1) : R(0), z.real),
      ::copysign(is_infinite(z.imag) ? R(1) : R(0), z.imag)};
}
template <class R>
TROUPE_BOTH inline Complex<R> without_nan(Complex<R> z) {
  return {
      is_nan(z.real) ? ::copysign(R(0), z.real) : z.real,
      is_nan(z.imag) ? ::copysign(R(0), z.imag) : z.imag};
}

/// The product by the rules of C: where the formula makes NaN of both parts, but a factor or a term
/// is infinite, it is an infinity.
template <class R>
TROUPE_BOTH inline Complex<R> product_by_c(Complex<R> x, Complex<R> y) {
  auto result = x * y;
  if (!is_nan(result.real) || !is_nan(result.imag)) return result;
  auto is_x_infinite = is_any_infinite(x), is_y_infinite = is_any_infinite(y);
  auto is_term_infinite = is_infinite(x.real * y.real) || is_infinite(x.imag * y.imag) ||
                          is_infinite(x.real * y.imag) || is_infinite(x.imag * y.real);
  if (!is_x_infinite && !is_y_infinite && !is_term_infinite) return result;
  x = without_nan(is_x_infinite ? direction_of_infinite(x) : x);
  y = without_nan(is_y_infinite ? direction_of_infinite(y) : y);
  result = x * y;
  return {infinity<R>() * result.real, infinity<R>() * result.imag};
}

template <class R>
TROUPE_BOTH inline Complex<R> pow(Complex<R> x, Complex<R> y) {
  return exp(product_by_c(y, log(x)));
}

template <class R>
TROUPE_BOTH inline Complex<R> sqrt(Complex<R> z) {
  if (is_infinite(z.imag)) return {infinity<R>(), z.imag};
  if (is_infinite(z.real)) {
    auto other = is_nan(z.imag) ? z.imag : R(0);
    if (z.real > R(0)) return {z.real, ::copysign(other, z.imag)};
    return {other, ::copysign(infinity<R>(), z.imag)};
  }
  if (is_any_nan(z)) return {not_a_number<R>(), not_a_number<R>()};
  if (z.imag == R(0) && z.real < R(0)) return {R(0), ::copysign(::sqrt(-z.real), z.imag)};
  if (z.imag == R(0)) return {::fabs(::sqrt(z.real)), z.imag};
  // By a square, so that the magnitude is neither infinite nor has few bits.
  auto greater = greater_part(z);
  auto root = greater > Range<R>::greatest / 4   ? R(0.5)
              : greater < Range<R>::least * 1024 ? R(1 << 30)
                                                 : R(1);
  z = {z.real * root * root, z.imag * root * root};
  auto size = magnitude(z);
  if (z.real > R(0)) {
    auto real = ::sqrt((size + z.real) / 2);
    return {real / root, z.imag / real / 2 / root};
  }
  auto imag = ::sqrt((size - z.real) / 2);
  return {::fabs(z.imag) / imag / 2 / root, ::copysign(imag, z.imag) / root};
}

// -- sines and tangents

template <class R>
TROUPE_BOTH inline Complex<R> cosh(Complex<R> z) {
  if (z.imag == R(0)) return {::cosh(z.real), z.imag * ::copysign(R(1), z.real)};
  if (!is_finite(z.imag)) {
    if (z.real == R(0)) return {not_a_number<R>(), R(0)};
    if (is_infinite(z.real)) return {infinity<R>(), not_a_number<R>()};
  }
  auto cosine = ::cos(z.imag), sine = ::sin(z.imag);
  if (::fabs(z.real) > Range<R>::exp_max) {
    auto root = ::exp(::fabs(z.real) / 2);
    return {root * cosine / 2 * root, ::copysign(root, z.real) * sine / 2 * root};
  }
  return {::cosh(z.real) * cosine, ::sinh(z.real) * sine};
}

template <class R>
TROUPE_BOTH inline Complex<R> sinh(Complex<R> z) {
  if (z.imag == R(0)) return {::sinh(z.real), z.imag};
  if (!is_finite(z.imag) && (z.real == R(0) || is_infinite(z.real)))
    return {z.real, not_a_number<R>()};
  auto cosine = ::cos(z.imag), sine = ::sin(z.imag);
  if (::fabs(z.real) > Range<R>::exp_max) {
    auto root = ::exp(::fabs(z.real) / 2);
    return {::copysign(root, z.real) * cosine / 2 * root, root * sine / 2 * root};
  }
  return {::sinh(z.real) * cosine, ::cosh(z.real) * sine};
}

template <class R>
TROUPE_BOTH inline Complex<R> tanh(Complex<R> z) {
  if (is_infinite(z.real))
    return {
        ::copysign(R(1), z.real), ::copysign(R(0), is_finite(z.imag) ? ::sin(2 * z.imag) : z.imag)};
  if (z.imag == R(0)) return {::tanh(z.real), z.imag};
  if (!is_finite(z.imag)) return {z.real == R(0) ? z.real : not_a_number<R>(), not_a_number<R>()};
  auto cosine = ::cos(z.imag), sine = ::sin(z.imag);
  if (::fabs(z.real) > Range<R>::exp_max / 2)
    return {::copysign(R(1), z.real), 4 * sine * cosine * ::exp(-2 * ::fabs(z.real))};
  auto hyperbolic_sine = ::sinh(z.real);
  auto divisor = hyperbolic_sine * hyperbolic_sine + cosine * cosine;
  return {hyperbolic_sine * ::cosh(z.real) / divisor, sine * cosine / divisor};
}

// Those of angles are those of the hyperbola at iz.
template <class R>
TROUPE_BOTH inline Complex<R> cos(Complex<R> z) {
  return cosh(Complex<R>{-z.imag, z.real});
}
template <class R>
TROUPE_BOTH inline Complex<R> sin(Complex<R> z) {
  auto turned = sinh(Complex<R>{-z.imag, z.real});
  return {turned.imag, -turned.real};
}
template <class R>
TROUPE_BOTH inline Complex<R> tan(Complex<R> z) {
  auto turned = tanh(Complex<R>{-z.imag, z.real});
  return {turned.imag, -turned.real};
}

}  // namespace troupe::cuda::complex_numbers
