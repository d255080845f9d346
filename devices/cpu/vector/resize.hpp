#pragma once

#include <cstddef>
#include <cstdint>

#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu::vector {

/// Where a pixel of a resized image comes from, along one axis.
struct PixelsBetween {
  int64_t lower, upper;
  float share;  // of upper
};

/// Two rows of an image, between which a row of the resized one lies.
struct RowsBetween {
  const void *top, *bottom;
  float lower;  // the share of the bottom one
  const PixelsBetween* columns;
  int64_t count, channels;  // the columns of the resized image, and elements of a pixel
};

/// A pixel of the image and its weight in one of the resized image, along one axis.
struct WeightedPixel {
  int64_t pixel;
  float weight;
};

/// Sums of pixels that lie one after the other: sum i is that of pixels[bounds[i]] to before
/// pixels[bounds[i + 1]], in their order.
struct WeightedSums {
  const WeightedPixel* pixels;
  const size_t* bounds;
  int64_t count, channels;
};

/// Each sets `count` pixels, of as many channels.
struct ResizeLoops {
  void (*interpolate)(const RowsBetween& rows, float* out) = nullptr;
  void (*sum_weighted)(const void* from, const WeightedSums& sums, float* out) = nullptr;
};
/// For float32 and uint8, else null.
ResizeLoops resize_loops(DType dtype);

}  // namespace troupe::cpu::vector
