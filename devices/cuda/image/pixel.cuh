#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace troupe::cuda {

/// A channel of a pixel, by the number of the element in images of that height and width.
struct Pixel {
  int64_t image, row, column, channel;

  __device__ Pixel(int64_t element, int64_t height, int64_t width, int64_t channels) {
    channel = element % channels;
    element /= channels;
    column = element % width;
    element /= width;
    row = element % height;
    image = element / height;
  }
};

}  // namespace troupe::cuda
