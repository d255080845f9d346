#include "troupe/devices/cuda/image/resize_weighted.hpp"

#include "troupe/devices/cuda/image/pixel.cuh"
#include "troupe/devices/cuda/launch_size.hpp"
#include "troupe/devices/cuda/math/element_types.hpp"
#include "troupe/devices/cuda/start_kernel.cuh"

namespace troupe::cuda {
namespace {

__host__ __device__ int64_t elements(const WeightedCall& call) {
  return call.batch * call.rows.to * call.columns.to * call.channels;
}

/// Calls f(pixel and weight) for all that a pixel is the sum of.
template <class F>
__device__ void each_weighted(const WeightedAxis& axis, int64_t pixel, const F& f) {
  for (auto i = axis.bounds[pixel]; i < axis.bounds[pixel + 1]; ++i) f(axis.pixels[i]);
}

/// As on CPUs, a column of pixels is summed up first.
template <class T>
__global__ void weighted_kernel(WeightedCall call) {
  const auto* from = static_cast<const T*>(call.from);
  for (auto i = first_item(); i < elements(call); i += item_step()) {
    Pixel pixel(i, call.rows.to, call.columns.to, call.channels);
    float sum = 0;
    each_weighted(call.columns, pixel.column, [&](const WeightedPixel& x) {
      float of_column = 0;
      each_weighted(call.rows, pixel.row, [&](const WeightedPixel& y) {
        auto row = pixel.image * call.rows.from + y.pixel;
        auto at = (row * call.columns.from + x.pixel) * call.channels + pixel.channel;
        of_column += static_cast<float>(widen(from[at])) * y.weight;
      });
      sum += of_column * x.weight;
    });
    static_cast<float*>(call.out)[i] = sum;
  }
}

/// Each share of a gradient is rounded by itself.
template <class T>
__global__ void weighted_grad_kernel(WeightedCall call) {
  const auto* from = static_cast<const float*>(call.from);
  for (auto i = first_item(); i < elements(call); i += item_step()) {
    Pixel pixel(i, call.rows.to, call.columns.to, call.channels);
    T sum = 0;
    each_weighted(call.rows, pixel.row, [&](const WeightedPixel& y) {
      auto row = pixel.image * call.rows.from + y.pixel;
      each_weighted(call.columns, pixel.column, [&](const WeightedPixel& x) {
        auto at = (row * call.columns.from + x.pixel) * call.channels + pixel.channel;
        sum += static_cast<T>(from[at] * y.weight * x.weight);
      });
    });
    static_cast<T*>(call.out)[i] = sum;
  }
}

void launch(const WeightedCall& call, void (*kernel)(WeightedCall)) {
  start_kernel(call.stream, blocks_for(elements(call)), block_threads, kernel, call);
}

}  // namespace

LaunchWeighted find_weighted(Element element) {
  return choose<LaunchWeighted>(
      Elements<
          float, double, Half, Brain, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t>{},
      element, [](auto zero) -> LaunchWeighted {
        return [](const WeightedCall& call) { launch(call, weighted_kernel<decltype(zero)>); };
      });
}

LaunchWeighted find_weighted_grad(Element element) {
  return choose<LaunchWeighted>(
      Elements<float, double>{}, element, [](auto zero) -> LaunchWeighted {
        return [](const WeightedCall& call) { launch(call, weighted_grad_kernel<decltype(zero)>); };
      });
}

}  // namespace troupe::cuda
