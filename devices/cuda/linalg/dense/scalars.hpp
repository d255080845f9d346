#pragma once

#include "troupe/devices/cuda/math/complex_functions.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"

namespace troupe::cuda {

/// The elements of matrices that are decomposed.
using DecomposableElements = Elements<float, double, Complex64, Complex128>;

/// A block's threads: neighbours in a row, then rows.
inline constexpr int matrix_columns = 32, matrix_rows = 8;

template <class T>
struct PartsOf {
  using Real = T;
  using Wide = double;
};
template <class R>
struct PartsOf<complex_numbers::Complex<R>> {
  using Real = R;
  using Wide = Complex128;
};
/// The type of the parts of a number.
template <class T>
using Real = typename PartsOf<T>::Real;
/// Numbers of this kind in double precision.
template <class T>
using WideNumber = typename PartsOf<T>::Wide;

template <class T>
TROUPE_BOTH inline T conjugate(T x) {
  if constexpr (is_complex<T>) return conj(x);
  else return x;
}
template <class T>
TROUPE_BOTH inline Real<T> real_part(T x) {
  if constexpr (is_complex<T>) return x.real;
  else return x;
}
template <class T>
TROUPE_BOTH inline Real<T> imaginary_part(T x) {
  if constexpr (is_complex<T>) return x.imag;
  else return 0;
}
template <class T>
TROUPE_BOTH inline Real<T> size_of_number(T x) {
  if constexpr (is_complex<T>) return complex_numbers::magnitude(x);
  else return fabs(x);
}
/// The square of its size, which in double precision overflows only for doubles.
template <class T>
TROUPE_BOTH inline double square_of_size(T x) {
  double re = real_part(x), im = imaginary_part(x);
  return re * re + im * im;
}
template <class T>
TROUPE_BOTH inline T divided(T x, Real<T> by) {
  if constexpr (is_complex<T>) return {x.real / by, x.imag / by};
  else return x / by;
}
template <class T>
TROUPE_BOTH inline bool is_finite_number(T x) {
  return complex_numbers::is_finite(real_part(x)) && complex_numbers::is_finite(imaginary_part(x));
}

}  // namespace troupe::cuda
