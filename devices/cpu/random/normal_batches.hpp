#pragma once

#include "troupe/devices/cpu/random/bounded_normals.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// What all kernels of ParameterizedTruncatedNormal check and refuse.

/// The rows of a result that share parameters, or runs of numbers where all do. One stream goes
/// through all of them.
struct NormalBatches {
  Shape shape;
  int64_t count, size;

  static Result<NormalBatches> of(const Launch& launch);
  /// How many blocks of the stream they may use.
  uint64_t blocks() const {
    return static_cast<uint64_t>(count * 2 * bounded_tries_max * (size + 3) / 4);
  }
};

/// Parameters for messages.
struct WideNormalParameters {
  double mean, deviation, least, greatest;
};
Status normal_parameters_are_invalid(const WideNormalParameters& parameters);
Status no_normal_number_is_between(const WideNormalParameters& parameters);

}  // namespace troupe::cpu
