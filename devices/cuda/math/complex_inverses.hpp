#pragma once

#include "troupe/devices/cuda/math/complex_functions.hpp"

namespace troupe::cuda::complex_numbers {

// The inverses of sines and tangents, as complex_functions.hpp has those.

/// Whether sums of such parts could be infinite. Nothing is left of a 1 that is added to it.
template <class R>
TROUPE_BOTH inline bool is_large(Complex<R> z) {
  return greater_part(z) > Range<R>::greatest / 8;
}
/// log |2z| of large numbers.
template <class R>
TROUPE_BOTH inline R log_of_double(Complex<R> z) {
  return ::log(::hypot(z.real / 2, z.imag / 2)) + 2 * log_2<R>;
}

template <class R>
TROUPE_BOTH inline Complex<R> asinh(Complex<R> z) {
  if (is_any_infinite(z))
    return {::copysign(infinity<R>(), z.real), ::atan2(z.imag, ::fabs(z.real))};
  if (is_any_nan(z)) return {not_a_number<R>(), z.imag == R(0) ? z.imag : not_a_number<R>()};
  if (is_large(z)) return {::copysign(log_of_double(z), z.real), ::atan2(z.imag, ::fabs(z.real))};
  auto x = sqrt(Complex<R>{1 + z.imag, -z.real}), y = sqrt(Complex<R>{1 - z.imag, z.real});
  return {
      ::asinh(x.real * y.imag - y.real * x.imag),
      ::atan2(z.imag, x.real * y.real - x.imag * y.imag)};
}

template <class R>
TROUPE_BOTH inline Complex<R> acosh(Complex<R> z) {
  if (is_any_infinite(z)) return {infinity<R>(), angle(z)};
  if (is_any_nan(z)) return {not_a_number<R>(), z.real == R(0) ? half_pi<R> : not_a_number<R>()};
  if (is_large(z)) return {log_of_double(z), angle(z)};
  auto x = sqrt(Complex<R>{z.real - 1, z.imag}), y = sqrt(Complex<R>{z.real + 1, z.imag});
  return {::asinh(x.real * y.real + x.imag * y.imag), 2 * ::atan2(x.imag, y.real)};
}

template <class R>
TROUPE_BOTH inline Complex<R> acos(Complex<R> z) {
  if (is_any_infinite(z)) return {::fabs(angle(z)), -::copysign(infinity<R>(), z.imag)};
  if (is_any_nan(z)) return {z.real == R(0) ? half_pi<R> : not_a_number<R>(), not_a_number<R>()};
  if (is_large(z)) return {::fabs(angle(z)), -::copysign(log_of_double(z), z.imag)};
  auto x = sqrt(Complex<R>{1 - z.real, -z.imag}), y = sqrt(Complex<R>{1 + z.real, z.imag});
  return {2 * ::atan2(x.real, y.real), ::asinh(y.real * x.imag - y.imag * x.real)};
}

/// Of a finite number whose real part is not negative.
template <class R>
TROUPE_BOTH inline Complex<R> atanh_on_the_right(Complex<R> z) {
  auto height = ::fabs(z.imag);
  if (greater_part(z) > ::sqrt(Range<R>::greatest) / 4) {
    auto half = ::hypot(z.real / 2, z.imag / 2);
    return {z.real / 4 / half / half, ::copysign(half_pi<R>, z.imag)};
  }
  if (z.real == R(1) && height < ::sqrt(Range<R>::least)) {
    if (height == R(0)) return {infinity<R>(), z.imag};
    return {
        -::log(::sqrt(height) / ::sqrt(::hypot(height, R(2)))),
        ::copysign(::atan2(R(2), -height) / 2, z.imag)};
  }
  auto beside = 1 - z.real;
  return {
      ::log1p(4 * z.real / (beside * beside + height * height)) / 4,
      ::atan2(2 * z.imag, beside * (1 + z.real) - height * height) / 2};
}

template <class R>
TROUPE_BOTH inline Complex<R> atanh(Complex<R> z) {
  if (is_infinite(z.imag)) return {::copysign(R(0), z.real), ::copysign(half_pi<R>, z.imag)};
  if (is_infinite(z.real))
    return {::copysign(R(0), z.real), is_nan(z.imag) ? z.imag : ::copysign(half_pi<R>, z.imag)};
  if (is_any_nan(z)) return {z.real == R(0) ? z.real : not_a_number<R>(), not_a_number<R>()};
  if (::copysign(R(1), z.real) < R(0)) return -atanh_on_the_right(-z);
  return atanh_on_the_right(z);
}

// As sin() and tan().
template <class R>
TROUPE_BOTH inline Complex<R> asin(Complex<R> z) {
  auto turned = asinh(Complex<R>{-z.imag, z.real});
  return {turned.imag, -turned.real};
}
template <class R>
TROUPE_BOTH inline Complex<R> atan(Complex<R> z) {
  auto turned = atanh(Complex<R>{-z.imag, z.real});
  return {turned.imag, -turned.real};
}

}  // namespace troupe::cuda::complex_numbers
