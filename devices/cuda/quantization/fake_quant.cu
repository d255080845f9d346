#include "troupe/devices/cuda/quantization/fake_quant.hpp"

#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__device__ cpu::QuantizedRange range_at(const ElementRanges& ranges, int64_t channel) {
  if (!ranges.min) return ranges.fixed;
  return cpu::QuantizedRange::of(ranges.min[channel], ranges.max[channel], ranges.form);
}

/// Calls f(i, the range of element i) for each element of the thread. One range is made once.
template <class F>
__device__ void each_element(const ElementRanges& ranges, int64_t count, const F& f) {
  if (ranges.channels == 1) {
    auto range = range_at(ranges, 0);
    for (auto i = first_item(); i < count; i += item_step()) f(i, range);
  } else {
    for (auto i = first_item(); i < count; i += item_step())
      f(i, range_at(ranges, i % ranges.channels));
  }
}

__global__ void quantize_kernel(QuantizeCall call) {
  each_element(call.ranges, call.count, [&](int64_t i, const cpu::QuantizedRange& range) {
    call.out[i] = range.quantize(call.x[i]);
  });
}

__global__ void quantize_gradient_kernel(QuantizeGradientCall call) {
  each_element(call.ranges, call.count, [&](int64_t i, const cpu::QuantizedRange& range) {
    auto parts = cpu::QuantizedGradient::of(call.gradients[i], call.x[i], range);
    call.out[i] = parts.input;
    if (!call.below) return;
    call.below[i] = parts.low;
    call.above[i] = parts.high;
  });
}

}  // namespace

void launch_quantize(const QuantizeCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, quantize_kernel, call);
}

void launch_quantize_gradient(const QuantizeGradientCall& call) {
  start_kernel(call.stream, blocks_for(call.count), block_threads, quantize_gradient_kernel, call);
}

}  // namespace troupe::cuda
