#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

// In a namespace of its own, functions of complex numbers are found by the types of their arguments
// alone. In this one they would hide those of real numbers, which have the same names.
namespace complex_numbers {

/// A complex number as it lies in memory.
template <class R>
struct alignas(2 * sizeof(R)) Complex {
  R real, imag;

  Complex() = default;  // not set: so it may lie in the shared memory of a block
  TROUPE_BOTH constexpr Complex(R re, R im = R(0)) : real(re), imag(im) {}
};

/// A product that is rounded before another one is added, which compilers of cards may leave out:
/// as on CPUs, z conj(z) has no imaginary part.
TROUPE_BOTH inline float product(float x, float y) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(x, y);
#else
  return x * y;
#endif
}
TROUPE_BOTH inline double product(double x, double y) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(x, y);
#else
  return x * y;
#endif
}

template <class R>
TROUPE_BOTH inline Complex<R> operator+(Complex<R> x, Complex<R> y) {
  return {x.real + y.real, x.imag + y.imag};
}
template <class R>
TROUPE_BOTH inline Complex<R> operator-(Complex<R> x, Complex<R> y) {
  return {x.real - y.real, x.imag - y.imag};
}
template <class R>
TROUPE_BOTH inline Complex<R> operator-(Complex<R> z) {
  return {-z.real, -z.imag};
}

// By the rules of Fortran, as the kernels of CPUs: a part of which the formula makes NaN is NaN,
// also where C has an infinity.
template <class R>
TROUPE_BOTH inline Complex<R> operator*(Complex<R> x, Complex<R> y) {
  return {
      product(x.real, y.real) - product(x.imag, y.imag),
      product(x.real, y.imag) + product(x.imag, y.real)};
}
/// By the ratio of the parts of y, which does not overflow where their squares would.
template <class R>
TROUPE_BOTH inline Complex<R> operator/(Complex<R> x, Complex<R> y) {
  if (fabs(y.real) < fabs(y.imag)) {
    auto ratio = y.real / y.imag, divisor = product(y.real, ratio) + y.imag;
    return {
        (product(x.real, ratio) + x.imag) / divisor, (product(x.imag, ratio) - x.real) / divisor};
  }
  auto ratio = y.imag / y.real, divisor = product(y.imag, ratio) + y.real;
  return {(product(x.imag, ratio) + x.real) / divisor, (x.imag - product(x.real, ratio)) / divisor};
}

template <class R>
TROUPE_BOTH inline bool operator==(Complex<R> x, Complex<R> y) {
  return x.real == y.real && x.imag == y.imag;
}
template <class R>
TROUPE_BOTH inline bool operator!=(Complex<R> x, Complex<R> y) {
  return !(x == y);
}

template <class R>
TROUPE_BOTH inline Complex<R> conj(Complex<R> z) {
  return {z.real, -z.imag};
}

/// Arithmetic of complex numbers does not wrap around.
template <class R>
TROUPE_BOTH inline Complex<R> wrap(Complex<R> z) {
  return z;
}

}  // namespace complex_numbers

using Complex64 = complex_numbers::Complex<float>;
using Complex128 = complex_numbers::Complex<double>;

template <class T>
constexpr bool is_complex = false;
template <class R>
constexpr bool is_complex<complex_numbers::Complex<R>> = true;

template <class R>
struct Narrow<complex_numbers::Complex<R>> {
  template <class From>
  TROUPE_BOTH static complex_numbers::Complex<R> of(From number) {
    if constexpr (is_complex<From>)
      return {static_cast<R>(number.real), static_cast<R>(number.imag)};
    else return {static_cast<R>(number)};
  }
};

}  // namespace troupe::cuda
