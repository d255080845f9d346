#pragma once

// Compiled for the host, by nvcc for cards, and by NVRTC where the program runs, which has no
// standard library: no header is included there.
#ifdef __CUDACC_RTC__
using int8_t = signed char;
using int16_t = short;
using int32_t = int;
using int64_t = long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long;
#else
#include <math.h>

#include <cstdint>
#include <cstring>
#endif

#ifdef __CUDACC__
#define TROUPE_BOTH __host__ __device__
#else
#define TROUPE_BOTH
#endif

namespace troupe::cuda {

/// 16-bit floats as they lie in memory; all computing is done with float.
struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};

template <class To, class From>
TROUPE_BOTH inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// Rounded to the nearest, to even ones; a NaN stays one.
TROUPE_BOTH inline Brain to_brain(float value) {
  auto bits = bits_as<uint32_t>(value);
  if (value != value) return {static_cast<uint16_t>(bits >> 16 | 0x40)};
  return {static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}
TROUPE_BOTH inline float to_float(Brain value) {
  return bits_as<float>(static_cast<uint32_t>(value.bits) << 16);
}

/// As to_brain().
TROUPE_BOTH inline Half to_half(float value) {
#ifdef __CUDA_ARCH__
  Half half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half.bits) : "f"(value));
  return half;
#else
  auto bits = bits_as<uint32_t>(value);
  auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  auto magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (magnitude >= 0x477ff000) return {static_cast<uint16_t>(sign | 0x7c00)};
  if (magnitude < 0x38800000) {
    // Less than the least normal one: this sum rounds away what there are no bits for.
    auto shifted = bits_as<float>(magnitude) + 0.5f;
    return {static_cast<uint16_t>(sign | (bits_as<uint32_t>(shifted) - 0x3f000000))};
  }
  auto rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
  return {static_cast<uint16_t>(sign | ((rounded >> 13) - (112u << 10)))};
#endif
}
TROUPE_BOTH inline float to_float(Half value) {
#ifdef __CUDA_ARCH__
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
#else
  auto sign = static_cast<uint32_t>(value.bits & 0x8000) << 16;
  auto rest = static_cast<uint32_t>(value.bits & 0x7fff);
  if (rest >= 0x7c00) return bits_as<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  if (rest >= 0x400) return bits_as<float>(sign | ((rest << 13) + (112u << 23)));
  auto magnitude = static_cast<float>(rest) * (1.0f / (1 << 24));
  return sign ? -magnitude : magnitude;
#endif
}

/// What an element is computed as.
template <class T>
struct WideOf {
  using type = T;
};
template <>
struct WideOf<Half> {
  using type = float;
};
template <>
struct WideOf<Brain> {
  using type = float;
};
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
TROUPE_BOTH inline T widen(T element) {
  return element;
}
TROUPE_BOTH inline float widen(Half element) { return to_float(element); }
TROUPE_BOTH inline float widen(Brain element) { return to_float(element); }

/// The element of a type that a number becomes.
template <class T>
struct Narrow {
  template <class From>
  TROUPE_BOTH static T of(From number) {
    return static_cast<T>(number);
  }
};
template <>
struct Narrow<Half> {
  template <class From>
  TROUPE_BOTH static Half of(From number) {
    return to_half(static_cast<float>(number));
  }
};
template <>
struct Narrow<Brain> {
  template <class From>
  TROUPE_BOTH static Brain of(From number) {
    return to_brain(static_cast<float>(number));
  }
};
/// Zero is false, and all else, NaN too, is true.
template <>
struct Narrow<bool> {
  template <class From>
  TROUPE_BOTH static bool of(From number) {
    return number != From(0);
  }
};

template <class T>
struct IsFloating {
  static constexpr bool value = false;
};
template <>
struct IsFloating<float> {
  static constexpr bool value = true;
};
template <>
struct IsFloating<double> {
  static constexpr bool value = true;
};
template <class T>
constexpr bool is_floating = IsFloating<T>::value;

/// An integer as an unsigned one, so that arithmetic wraps around where it overflows.
template <class T>
TROUPE_BOTH inline auto wrap(T value) {
  if constexpr (is_floating<T>) return value;
  else if constexpr (sizeof(T) == 8) return static_cast<uint64_t>(value);
  else return static_cast<uint32_t>(value);
}

/// x * y, rounded before anything is added to it, as on CPUs: compilers for cards round a product
/// and a sum together where they can.
TROUPE_BOTH inline float rounded_product(float x, float y) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(x, y);
#else
  return x * y;
#endif
}
TROUPE_BOTH inline double rounded_product(double x, double y) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(x, y);
#else
  return x * y;
#endif
}

}  // namespace troupe::cuda
