#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/index/divider.hpp"
#include "troupe/devices/cuda/nn/image_windows.hpp"

namespace troupe::cuda {

/// How far apart neighbours in a batch of images lie.
struct ImageStrides {
  int64_t image, channel, row, column;
};

/// Windows over images, each channel of which makes `multiplier` outputs, and a filter
/// [kernel[0], kernel[1], channels, multiplier].
struct DepthwiseGeometry : ImageWindows {
  int64_t channels, multiplier;
  bool channels_first;

  TROUPE_BOTH int64_t outputs() const { return channels * multiplier; }
  TROUPE_BOTH int64_t filter_elements() const { return taps() * outputs(); }

  TROUPE_BOTH ImageStrides in_strides() const { return strides_of(in, channels); }
  TROUPE_BOTH ImageStrides out_strides() const { return strides_of(out, outputs()); }

  /// Whether a position lies in the input, and not in its padding.
  TROUPE_BOTH bool has_input(int axis, int64_t at) const { return at >= 0 && at < in[axis]; }
  /// The position on an axis of the input that the first tap of an output's window is at.
  TROUPE_BOTH int64_t first_input(int axis, int64_t output) const {
    return output * strides[axis] - before[axis];
  }

  /// How many taps of the filter's gradient a thread adds up at once, for the outputs that it
  /// reads.
  static constexpr int taps_each = 9;
  TROUPE_BOTH int64_t tap_groups() const { return (taps() + taps_each - 1) / taps_each; }
  /// Into how many parts, each summed by threads of its own, the gradient of a filter is split:
  /// fewer elements of the filter have more. It depends on the geometry alone, and so does
  /// rounding.
  int64_t parts() const {
    constexpr int64_t wanted = 1 << 17, least_each = 16, parts_max = 4096;
    auto count = wanted / (outputs() * tap_groups());
    auto most = out_positions() / least_each;
    if (count > most) count = most;
    if (count > parts_max) count = parts_max;
    return count < 1 ? 1 : count;
  }

 private:
  TROUPE_BOTH ImageStrides strides_of(const int64_t* sizes, int64_t all_channels) const {
    auto positions = sizes[0] * sizes[1];
    if (channels_first) return {all_channels * positions, positions, sizes[1], 1};
    return {positions * all_channels, 1, sizes[1] * all_channels, all_channels};
  }
};

enum class DepthwisePass : uint8_t { forward, to_input, to_filter };

/// A convolution of each channel by itself, or one of its gradients. The operand that is computed
/// is not read.
struct DepthwiseCall {
  void* result;
  const void* input;
  const void* filter;
  const void* dy;
  void* partial;  // memory for the filter's gradient: 8 bytes for each element of each part
  DepthwiseGeometry geometry;
  cudaStream_t stream;
};
using LaunchDepthwise = void (*)(const DepthwiseCall& call);
/// Null where there is none. Of no call is the input or the output empty.
LaunchDepthwise find_depthwise(Element element, DepthwisePass pass);

}  // namespace troupe::cuda
