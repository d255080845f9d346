#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

enum class PixelFunction : uint8_t { rgb_to_hsv, hsv_to_rgb, turn_hue, scale_saturation };

/// Sets pixels of 3 elements to a function of others, and of a factor where it has one. Both may be
/// the same memory.
struct PixelCall {
  void* to;
  const void* from;
  const float* factor;
  int64_t pixels;
  cudaStream_t stream;
};
using LaunchPixels = void (*)(const PixelCall& call);
/// Null where there is none: functions with a factor are of float16 and float32 alone.
LaunchPixels find_pixels(Element element, PixelFunction function);

/// Makes what images [images, pixels, channels] are above or below the mean of their channel so
/// many times as much.
struct ContrastCall {
  void* to;
  const void* from;
  const float* factor;
  double* sums;  // memory for the sums of all parts of the images' channels
  int64_t images, pixels, channels, parts;
  cudaStream_t stream;
};
using LaunchContrast = void (*)(const ContrastCall& call);
LaunchContrast find_contrast(Element element);

/// Into how many parts the pixels of each image are split, each summed by a block. It depends on
/// the sizes alone, and so does rounding.
int64_t contrast_parts(int64_t images, int64_t pixels);

}  // namespace troupe::cuda
