#pragma once

#include <cstdint>

namespace troupe::cpu::vector {

/// Real and imaginary parts of numbers, apart.
template <class R>
struct Parts {
  R* real;
  R* imaginary;
};

/// One stage of Fourier transforms that run side by side, in Stockham's order: no stage reorders
/// elements by itself. Number q of column p + k * columns goes with those of the other k into a sum
/// for each k, which a factor of (p, k) turns and column p * radix + k of `out` gets. A column has
/// `stride` numbers.
template <class R>
struct FourierStage {
  int64_t radix, columns, stride;
  const R* factors;  // of p and of k > 0: the real part, the imaginary one
  const R* roots;    // cos(2 pi i / radix) and the sine, of each i; of odd radices
  Parts<R> in, out;
};

/// The radices: 2, 4 and odd numbers up to this one.
inline constexpr int64_t fourier_radix_max = 31;

/// An even number of reals is transformed as half as many complex numbers, of each the next two
/// reals. Their transform is Z = E + iO, of the spectra of reals at even places, E, and at odd
/// ones, O, so that E[k] = (Z[k] + conj(Z[-k])) / 2 and O[k] = (Z[k] - conj(Z[-k])) / 2i, and the
/// spectrum of all is E[k] + roots[k] O[k], where roots[k] is exp(-pi i k / size). Columns have
/// `width` numbers, and the half of the spectrum that is kept has size + 1 of them.
template <class R>
struct RealSpectrum {
  int64_t size, width;
  const R* roots;
  Parts<R> in, out;
};

/// Lines of a tensor and, side by side, as parts: number i of line l is element i * width + l.
template <class R>
struct FourierLines {
  R* tensor;
  const int64_t* starts;  // of each line, counted in real numbers as `step` is
  int64_t step;           // from one number of a line to the next
  int64_t count, width, length;
  Parts<R> parts;
};

template <class R>
struct FourierLoops {
  void (*run_stage)(const FourierStage<R>&);
  /// From the transform of complex numbers to the spectrum of reals, and back but for twice as
  /// much.
  void (*join_spectrum)(const RealSpectrum<R>&);
  void (*split_spectrum)(const RealSpectrum<R>&);
  /// Between complex numbers of the tensor and the parts; what is stored is scaled.
  void (*load)(const FourierLines<R>&);
  void (*store)(const FourierLines<R>&, R scale);
};
FourierLoops<float> fourier_loops(float);
FourierLoops<double> fourier_loops(double);

}  // namespace troupe::cpu::vector
