#pragma once

#include "troupe/devices/cuda/random/philox.hpp"

namespace troupe::cuda {

// What a block of random bits makes, as cpu/random/distributions.hpp: the same numbers, but for the
// last digits of logarithms, sines and cosines.

/// How many numbers one block makes: fewer where a number needs 64 bits.
template <class T>
constexpr int numbers_of_block = sizeof(T) == 8 ? 2 : 4;

template <class T>
struct BlockNumbers {
  T at[numbers_of_block<T>];
};

/// In [0, 1): a number in [1, 2) whose mantissa is random bits, less 1.
TROUPE_BOTH inline float unit_float(uint32_t bits) {
  return bits_as<float>(uint32_t{127} << 23 | (bits & 0x7fffff)) - 1.0f;
}
TROUPE_BOTH inline double unit_double(uint32_t high, uint32_t low) {
  auto mantissa = uint64_t{high & 0xfffff} << 32 | low;
  return bits_as<double>(uint64_t{1023} << 52 | mantissa) - 1.0;
}

/// Even numbers of [0, 1).
template <class T>
struct UniformNumbers {
  TROUPE_BOTH static BlockNumbers<T> of(const PhiloxPosition::Block& bits) {
    BlockNumbers<T> numbers;
    for (int i = 0; i < numbers_of_block<T>; ++i) numbers.at[i] = one(bits, i, T());
    return numbers;
  }

 private:
  TROUPE_BOTH static double one(const PhiloxPosition::Block& bits, int i, double) {
    return unit_double(bits.at[2 * i], bits.at[2 * i + 1]);
  }
  TROUPE_BOTH static float one(const PhiloxPosition::Block& bits, int i, float) {
    return unit_float(bits.at[i]);
  }
  TROUPE_BOTH static Half one(const PhiloxPosition::Block& bits, int i, Half) {
    Half shifted{static_cast<uint16_t>(15 << 10 | (bits.at[i] & 0x3ff))};
    return to_half(to_float(shifted) - 1.0f);
  }
  TROUPE_BOTH static Brain one(const PhiloxPosition::Block& bits, int i, Brain) {
    Brain shifted{static_cast<uint16_t>(127 << 7 | (bits.at[i] & 0x7f))};
    return to_brain(to_float(shifted) - 1.0f);
  }
};

/// Two normal numbers of two even ones, after Box and Muller.
template <class A>
TROUPE_BOTH inline void normal_pair(A u, A v, A* pair) {
  // Zero has no logarithm.
  auto radius = sqrt(A(-2) * log(u < A(1.0e-7) ? A(1.0e-7) : u));
  auto angle = static_cast<A>(2 * 3.141592653589793238462643383279502884 * v);
  pair[0] = sin(angle) * radius;
  pair[1] = cos(angle) * radius;
}

/// Normal numbers: double for double, else float.
TROUPE_BOTH inline void wide_normals(const PhiloxPosition::Block& bits, double* numbers) {
  normal_pair(unit_double(bits.at[0], bits.at[1]), unit_double(bits.at[2], bits.at[3]), numbers);
}
TROUPE_BOTH inline void wide_normals(const PhiloxPosition::Block& bits, float* numbers) {
  normal_pair(unit_float(bits.at[0]), unit_float(bits.at[1]), numbers);
  normal_pair(unit_float(bits.at[2]), unit_float(bits.at[3]), numbers + 2);
}

template <class T>
TROUPE_BOTH inline BlockNumbers<T> normal_numbers(const PhiloxPosition::Block& bits) {
  Wide<T> wide[numbers_of_block<T>];
  wide_normals(bits, wide);
  BlockNumbers<T> numbers;
  for (int i = 0; i < numbers_of_block<T>; ++i) numbers.at[i] = Narrow<T>::of(wide[i]);
  return numbers;
}

/// As normal_numbers(), drawn again where one is beyond two deviations. Each group of numbers has a
/// range of blocks of its own.
template <class T>
TROUPE_BOTH inline BlockNumbers<T> truncated_numbers(const PhiloxPosition& start, uint64_t group) {
  constexpr uint64_t group_blocks = numbers_of_block<T> * 256 / 4;
  BlockNumbers<T> numbers;
  auto position = start.skip(group * group_blocks);
  for (int count = 0; count < numbers_of_block<T>; position = position.skip(1)) {
    Wide<T> wide[numbers_of_block<T>];
    wide_normals(position.block(), wide);
    for (auto number : wide)
      if (fabs(number) < 2 && count < numbers_of_block<T>)
        numbers.at[count++] = Narrow<T>::of(number);
  }
  return numbers;
}

/// Whole numbers from `least` on, of so many.
TROUPE_BOTH inline BlockNumbers<int32_t> whole_numbers(
    const PhiloxPosition::Block& bits, int32_t least, uint32_t range) {
  BlockNumbers<int32_t> numbers;
  for (int i = 0; i < 4; ++i)
    numbers.at[i] = static_cast<int32_t>(static_cast<uint32_t>(least) + bits.at[i] % range);
  return numbers;
}
TROUPE_BOTH inline BlockNumbers<int64_t> whole_numbers(
    const PhiloxPosition::Block& bits, int64_t least, uint64_t range) {
  BlockNumbers<int64_t> numbers;
  for (int i = 0; i < 2; ++i) {
    auto wide = uint64_t{bits.at[2 * i + 1]} << 32 | bits.at[2 * i];
    numbers.at[i] = static_cast<int64_t>(static_cast<uint64_t>(least) + wide % range);
  }
  return numbers;
}

}  // namespace troupe::cuda
