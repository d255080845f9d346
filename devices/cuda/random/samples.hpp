#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/random/philox.hpp"

namespace troupe::cuda {

/// Sets samples of distributions, one for each of the parameters in turn. Each sample has a range
/// of blocks of its own, in the order of all samples of the first parameter, then of the next one.
struct SamplesCall {
  void* out;  // [samples, parameters]
  const void* of;
  int64_t samples, parameters;
  PhiloxPosition start;
  cudaStream_t stream;
};

using LaunchGammaSamples = void (*)(const SamplesCall& call);
/// Parameters and samples are of that type. Null where there is none.
LaunchGammaSamples find_gamma_samples(Element element);

/// Rates for which there is no sample: 0 where all have one.
struct RateFaults {
  double is_nan;     // not 0: one is NaN
  double too_great;  // one that is
};
using LaunchPoissonSamples = void (*)(const SamplesCall& call, RateFaults* faults);
/// Samples of that type, of rates that are doubles. Null where there is none.
LaunchPoissonSamples find_poisson_samples(Element element);

}  // namespace troupe::cuda
