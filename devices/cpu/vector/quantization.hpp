#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace troupe::cpu {
struct QuantizedRange;
template <class T>
struct Scaling;
}  // namespace troupe::cpu

namespace troupe::cpu::vector {

/// out[i] is QuantizedRange::quantize() of x[i], which may lie at the same place. The range is not
/// empty.
using QuantizeLoop =
    void (*)(float* out, const float* x, int64_t count, const QuantizedRange& range);
QuantizeLoop quantize_loop();

/// The least and the greatest of some numbers, of which NaN is none.
template <class T>
struct Extremes {
  T least = std::numeric_limits<T>::infinity(), greatest = -std::numeric_limits<T>::infinity();

  void add(const Extremes& others) {
    least = std::min(least, others.least);
    greatest = std::max(greatest, others.greatest);
  }
};

/// What QuantizeAndDequantize does with rows of numbers.
template <class T>
struct ScaleLoops {
  /// out[i] is x[i], which may lie at the same place, within the limits of `by`, scaled, rounded
  /// and scaled back. NaN stays.
  using Scale = void (*)(T* out, const T* x, int64_t count, const Scaling<T>& by);
  Scale to_even = nullptr;  // rounds to the nearest, of two to the even one
  Scale half_up = nullptr;  // of two to the higher one
  Extremes<T> (*extremes)(const T* x, int64_t count) = nullptr;
};
template <class T>
ScaleLoops<T> scale_loops();
template <>
ScaleLoops<float> scale_loops<float>();
template <>
ScaleLoops<double> scale_loops<double>();

}  // namespace troupe::cpu::vector
