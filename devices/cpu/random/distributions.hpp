#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "troupe/devices/cpu/random/philox.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe::cpu {

// What TensorFlow makes of the bits of a stream, bit by bit but for the last digit of a logarithm,
// sine or cosine.

/// In [0, 1): a number in [1, 2) whose mantissa is random bits, less 1.
inline float unit_float(uint32_t bits) {
  return std::bit_cast<float>(uint32_t{127} << 23 | (bits & 0x7fffff)) - 1.0f;
}
inline double unit_double(uint32_t high, uint32_t low) {
  auto mantissa = uint64_t{high & 0xfffff} << 32 | low;
  return std::bit_cast<double>(uint64_t{1023} << 52 | mantissa) - 1.0;
}
/// As unit_float() and unit_double(), of the next numbers of a stream.
inline float unit_float(PhiloxNumbers& numbers) { return unit_float(numbers.next()); }
inline double unit_double(PhiloxNumbers& numbers) {
  auto high = numbers.next();
  return unit_double(high, numbers.next());
}

/// The numbers that one block of bits makes.
template <class T>
using BlockNumbers = std::array<T, sizeof(T) == 8 ? 2 : 4>;

/// Even numbers of [0, 1).
template <class T>
BlockNumbers<T> uniform_numbers(const Philox::Block& bits) {
  if constexpr (std::is_same_v<T, double>) {
    return {unit_double(bits[0], bits[1]), unit_double(bits[2], bits[3])};
  } else {
    BlockNumbers<T> numbers;
    for (size_t i = 0; i < numbers.size(); ++i) {
      if constexpr (std::is_same_v<T, float>) {
        numbers[i] = unit_float(bits[i]);
      } else {
        constexpr bool is_brain = std::is_same_v<T, bfloat16>;
        constexpr uint32_t one = is_brain ? 127 << 7 : 15 << 10, mantissa = is_brain ? 0x7f : 0x3ff;
        numbers[i] = std::bit_cast<T>(static_cast<uint16_t>(one | (bits[i] & mantissa))) - T(1.0f);
      }
    }
    return numbers;
  }
}

/// Two normal numbers of two even ones, after Box and Muller.
template <class T>
std::array<T, 2> normal_pair(T u, T v) {
  // Zero has no logarithm.
  auto radius = std::sqrt(T(-2) * std::log(std::max(u, T(1.0e-7))));
  auto angle = static_cast<T>(2 * std::numbers::pi * v);
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

/// Normal numbers: double for double, else float.
template <class T>
auto wide_normal_numbers(const Philox::Block& bits) {
  if constexpr (std::is_same_v<T, double>) {
    return normal_pair(unit_double(bits[0], bits[1]), unit_double(bits[2], bits[3]));
  } else {
    auto a = normal_pair(unit_float(bits[0]), unit_float(bits[1]));
    auto b = normal_pair(unit_float(bits[2]), unit_float(bits[3]));
    return std::array<float, 4>{a[0], a[1], b[0], b[1]};
  }
}

template <class T>
BlockNumbers<T> normal_numbers(const Philox::Block& bits) {
  auto wide = wide_normal_numbers<T>(bits);
  BlockNumbers<T> numbers;
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(wide[i]);
  return numbers;
}

enum class Distribution : uint8_t {
  uniform,    // over [0, 1)
  normal,     // of mean 0 and deviation 1
  truncated,  // as normal, drawn again where it is beyond two deviations
};

/// Sets all elements of a floating tensor, with the bits from that position on.
void fill_random(Distribution distribution, const Philox& start, Tensor& out);

/// Sets all elements of an int32 or int64 tensor to whole numbers from [least, end), which must be
/// scalars of its dtype, the second one greater.
Status fill_random_ints(const Philox& start, const Tensor& least, const Tensor& end, Tensor& out);

/// Sets all elements of an integral tensor of 32 or 64 bits to the bits from that position on.
void fill_random_bits(const Philox& start, Tensor& out);

}  // namespace troupe::cpu
