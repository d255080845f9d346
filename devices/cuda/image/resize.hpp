#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"

namespace troupe::cuda {

/// Between which pixels of an image a pixel of the resized one lies, along one axis.
struct PixelSource {
  int64_t lower, upper;
  float share;  // of upper
};

/// Along one axis, in the card's memory: the sources of the resized image's pixels, and for the
/// gradient, the first of those pixels that each pixel of the image is a source of, and one behind
/// the last.
struct ResizeAxis {
  const PixelSource* sources;
  const int64_t* first;
  const int64_t* last;
  int64_t size, resized;
};

/// Images [batch, rows.size, columns.size, channels], and resized ones.
struct ResizeCall {
  void* out;
  const void* from;
  ResizeAxis rows, columns;
  int64_t batch, channels;
  cudaStream_t stream;
};
using LaunchResize = void (*)(const ResizeCall& call);

// Null where there is none. Results of bilinear ones and their gradients' inputs are float32.
LaunchResize find_bilinear(Element element);
LaunchResize find_bilinear_grad(Element element);
LaunchResize find_nearest_grad(Element element);
/// Of elements of so many bytes.
void launch_nearest(const ResizeCall& call, int size);

}  // namespace troupe::cuda
