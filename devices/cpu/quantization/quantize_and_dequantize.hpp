#pragma once

#include <cstdint>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// How QuantizeAndDequantize and its versions quantize, as far as attributes tell.
struct ScaledForm {
  bool is_signed, is_narrow, has_range, rounds_half_up;

  static ScaledForm of(const Node& node);
  /// InvalidArgument unless integers may have so many bits.
  Status check_bits(int64_t bits) const;
};

/// The scale with which a range of numbers fits into integers, and the range that then does.
template <class T>
struct Scaling {
  T low, high, scale, inverse;

  static Scaling of(T low, T high, const ScaledForm& form, int64_t bits);
};

}  // namespace troupe::cpu
