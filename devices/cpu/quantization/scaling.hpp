#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

/// What kernels of the CPU and of NVIDIA's cards compute alike: nvcc compiles for both what is
/// constexpr.
namespace troupe::cpu {

/// The integers that numbers are scaled to.
struct IntegerRange {
  int64_t least, most;

  /// `is_narrow`: as many negative ones as positive ones.
  static constexpr IntegerRange of(int64_t bits, bool is_signed, bool is_narrow) {
    auto half = int64_t{1} << (bits - 1);
    if (!is_signed) return {.least = 0, .most = 2 * half - 1};
    return {.least = is_narrow ? 1 - half : -half, .most = half - 1};
  }
};

/// The scale with which a range of numbers fits into integers, and the range that then does.
template <class T>
struct Scaling {
  T low, high, scale, inverse;

  static constexpr Scaling of(T low, T high, const IntegerRange& integers) {
    auto least = static_cast<T>(integers.least), most = static_cast<T>(integers.most);
    constexpr auto any = std::numeric_limits<T>::max();
    auto of_low = flushed(least * low) > 0 ? flushed(least / low) : any;
    auto of_high = flushed(most * high) > 0 ? flushed(most / high) : any;
    if (of_low < of_high) {
      auto inverse = flushed(low / least);
      return {.low = low, .high = flushed(most * inverse), .scale = of_low, .inverse = inverse};
    }
    auto inverse = flushed(high / most);
    return {.low = flushed(least * inverse), .high = high, .scale = of_high, .inverse = inverse};
  }

 private:
  /// What is nearer to 0 than the least normal number is 0 to CPUs, but not to cards.
  static constexpr T flushed(T x) { return std::abs(x) < std::numeric_limits<T>::min() ? T(0) : x; }
};

}  // namespace troupe::cpu
