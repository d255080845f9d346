#pragma once

#include "troupe/devices/cuda/math/numbers.hpp"

namespace troupe::cuda {

/// How windows lie over the rows and columns of a batch of images, and the taps of a filter, which
/// are `dilations` apart, over a window.
struct ImageWindows {
  int64_t batch;
  int64_t in[2], out[2], kernel[2], strides[2], dilations[2], before[2];

  /// Of the two last axes of a cpu::Convolution.
  template <class Convolution>
  static ImageWindows of(const Convolution& c) {
    ImageWindows windows{.batch = c.batch};
    for (size_t i = 0; i < 2; ++i) {
      windows.in[i] = c.in[i + 1];
      windows.out[i] = c.out[i + 1];
      windows.kernel[i] = c.kernel[i + 1];
      windows.strides[i] = c.strides[i + 1];
      windows.dilations[i] = c.dilations[i + 1];
      windows.before[i] = c.before[i + 1];
    }
    return windows;
  }

  TROUPE_BOTH int64_t taps() const { return kernel[0] * kernel[1]; }
  TROUPE_BOTH int64_t out_positions() const { return batch * out[0] * out[1]; }
};

}  // namespace troupe::cuda
