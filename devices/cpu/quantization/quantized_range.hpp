#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

/// What kernels of the CPU and of NVIDIA's cards compute alike: nvcc compiles for both what is
/// constexpr.
namespace troupe::cpu {

/// The integers that stand for numbers, as floats.
struct QuantizedForm {
  float least, most;
};

/// A range of numbers that integers stand for, shifted so that one of them stands for 0.
struct QuantizedRange {
  float low, high;
  float scale;            // from one integer to the next
  float zero;             // the integer of 0, counted from the least
  bool is_empty = false;  // both of its limits are 0

  /// In float and with TensorFlow's steps, which decide where the range lies.
  static constexpr QuantizedRange of(float min, float max, const QuantizedForm& form) {
    if (is_zero(min) && is_zero(max))
      return {.low = 0, .high = 0, .scale = 1, .zero = 0, .is_empty = true};
    auto scale = (max - min) / (form.most - form.least);
    auto place = form.least - min / scale;  // of 0 among the integers
    auto shifted = std::round(place);
    if (place != place) shifted = 0;
    if (place < form.least) shifted = form.least;
    if (place > form.most) shifted = form.most;
    auto low = (form.least - shifted) * scale;
    auto zero = std::trunc(-low / scale + 0.5f);
    return {
        .low = low,
        .high = (form.most - shifted) * scale,
        .scale = scale,
        .zero = zero != zero ? 0.0f : zero};
  }

  /// What the integer of x stands for; NaN stays.
  constexpr float quantize(float x) const {
    auto limited = high < x ? high : x;
    limited = low > limited ? low : limited;
    auto place = (limited - low) / scale + 0.5f;  // positive, so that truncation rounds it down
    auto is_number = place == place;
    auto integer = static_cast<float>(static_cast<int32_t>(is_number ? place : 0.0f));
    return is_empty ? 0.0f : ((is_number ? integer : place) - zero) * scale;
  }

 private:
  /// What is nearer to 0 than the least normal number is 0 to CPUs, but not to cards.
  static constexpr bool is_zero(float x) { return std::abs(x) < std::numeric_limits<float>::min(); }
};

/// The gradients that go to an input, and to the limits of its range where that is outside.
struct QuantizedGradient {
  float input, low, high;

  /// Products with 0 as well: what is not finite shows in all that it might belong to.
  static constexpr QuantizedGradient of(float gradient, float x, const QuantizedRange& range) {
    if (range.is_empty) return {.input = gradient, .low = 0, .high = 0};
    return {
        .input = gradient * ((x >= range.low) & (x <= range.high) ? 1.0f : 0.0f),
        .low = gradient * (x < range.low ? 1.0f : 0.0f),
        .high = gradient * (x > range.high ? 1.0f : 0.0f)};
  }
};

}  // namespace troupe::cpu
