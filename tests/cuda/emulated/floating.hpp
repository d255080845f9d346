#pragma once

#include <cstdint>

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::emulated {

/// The floating-point numbers that libraries compute with.
enum class Floating : uint8_t { float16, bfloat16, float32, float64 };

inline double read(const void* from, Floating type, int64_t at) {
  using namespace cuda;
  switch (type) {
    case Floating::float64: return static_cast<const double*>(from)[at];
    case Floating::float16:
      return static_cast<double>(to_float(static_cast<const Half*>(from)[at]));
    case Floating::bfloat16:
      return static_cast<double>(to_float(static_cast<const Brain*>(from)[at]));
    default: return static_cast<double>(static_cast<const float*>(from)[at]);
  }
}

inline void write(void* to, Floating type, int64_t at, double value) {
  using namespace cuda;
  switch (type) {
    case Floating::float64: static_cast<double*>(to)[at] = value; break;
    case Floating::float16: static_cast<Half*>(to)[at] = to_half(static_cast<float>(value)); break;
    case Floating::bfloat16:
      static_cast<Brain*>(to)[at] = to_brain(static_cast<float>(value));
      break;
    default: static_cast<float*>(to)[at] = static_cast<float>(value);
  }
}

}  // namespace troupe::emulated
