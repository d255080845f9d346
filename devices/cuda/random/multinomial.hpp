#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/random/philox.hpp"

namespace troupe::cuda {

/// Samples classes of rows of logits: the sample of a row takes the next two numbers of one stream
/// through all rows, as on CPUs. Classes without a finite logit are not taken.
struct MultinomialCall {
  void* out;  // [rows, samples]
  bool is_long;
  const void* logits;  // [rows, classes]
  double* sums;        // memory for as many
  int64_t rows, classes, samples;
  PhiloxPosition start;
  cudaStream_t stream;
};
using LaunchMultinomial = void (*)(const MultinomialCall& call);

/// Null where there is none.
LaunchMultinomial find_multinomial(Element element);

}  // namespace troupe::cuda
