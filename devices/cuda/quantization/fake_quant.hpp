#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cpu/quantization/quantized_range.hpp"

namespace troupe::cuda {

/// The ranges of a tensor's elements: element i has that of min[i % channels] and max[...], or all
/// have `fixed` where there are no such.
struct ElementRanges {
  const float* min;
  const float* max;
  int64_t channels;
  cpu::QuantizedForm form;
  cpu::QuantizedRange fixed;
};

/// Sets out[i] to x[i] as its integer keeps it. The memory of x may be the result's.
struct QuantizeCall {
  float* out;
  const float* x;
  ElementRanges ranges;
  int64_t count;
  cudaStream_t stream;
};
void launch_quantize(const QuantizeCall& call);

/// Sets out[i] to gradients[i] where x[i] is in its range; below[i] and above[i], unless they are
/// null, to gradients[i] where it is below or above. All else becomes 0. The memory of gradients or
/// x may be that of out.
struct QuantizeGradientCall {
  float* out;
  float* below;
  float* above;
  const float* gradients;
  const float* x;
  ElementRanges ranges;
  int64_t count;
  cudaStream_t stream;
};
void launch_quantize_gradient(const QuantizeGradientCall& call);

}  // namespace troupe::cuda
