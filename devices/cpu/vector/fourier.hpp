#pragma once

#include <cstdint>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu::vector {

/// One of the passes that make the Fourier transform of a line, whose real and imaginary parts lie
/// apart. The line is groups * radix * stride long. Of each group, and each place in the stride,
/// those that lie groups * stride apart are transformed, and then all but the first multiplied by
/// roots of one. They are written side by side, a stride apart: the passes sort (Stockham's way).
struct FourierPass {
  int64_t groups = 0, stride = 0;
  const void *root_reals = nullptr, *root_imaginaries = nullptr;  // [radix - 1, groups]
  const void *reals = nullptr, *imaginaries = nullptr;
  void *out_reals = nullptr, *out_imaginaries = nullptr;
};

using FourierLoop = void (*)(const FourierPass&);
/// For float32 and float64, and radix 2, 3, 4 or 5; else null.
FourierLoop fourier_loop(int radix, DType dtype);

/// Between complex numbers and their real and imaginary parts, which lie apart.
struct FourierCopies {
  void (*split)(void* reals, void* imaginaries, const void* numbers, int64_t count) = nullptr;
  /// Multiplies them by `scale`.
  void (*join)(
      void* numbers, const void* reals, const void* imaginaries, double scale,
      int64_t count) = nullptr;
  /// Makes of the spectrum of `count` numbers, each of which was two real ones, the first half of
  /// the spectrum of those, but for its last element. The roots are those of 2 * count; the parts
  /// have their first element once more at the end.
  void (*join_halves)(
      void* numbers, const void* reals, const void* imaginaries, const void* root_reals,
      const void* root_imaginaries, int64_t count) = nullptr;
};
/// For float32 and float64.
FourierCopies fourier_copies(DType dtype);

}  // namespace troupe::cpu::vector
