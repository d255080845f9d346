#pragma once

#include "troupe/devices/cpu/quantization/scaling.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

/// How QuantizeAndDequantize and its versions quantize, as far as attributes tell.
struct ScaledForm {
  bool is_signed, is_narrow, has_range, rounds_half_up;

  static ScaledForm of(const Node& node);
  /// The integers of so many bits; InvalidArgument where there can be none.
  Result<IntegerRange> integers(int64_t bits) const;
  /// InvalidArgument where the given range is none.
  Status check_range(double low, double high) const;
};

/// InvalidArgument unless all arguments behind the input are scalars.
Status check_scalar_arguments(const Launch& launch);

}  // namespace troupe::cpu
