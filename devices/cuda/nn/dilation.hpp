#pragma once

#include <cuda_runtime_api.h>

#include "troupe/devices/cuda/element.hpp"
#include "troupe/devices/cuda/nn/image_windows.hpp"

namespace troupe::cuda {

/// Windows over images [batch, in[0], in[1], channels], and a filter [kernel[0], kernel[1],
/// channels].
struct DilationGeometry : ImageWindows {
  int64_t channels;

  TROUPE_BOTH int64_t filter_elements() const { return taps() * channels; }
  TROUPE_BOTH int64_t in_elements() const { return batch * in[0] * in[1] * channels; }
  TROUPE_BOTH int64_t out_elements() const { return out_positions() * channels; }

  /// The position on an axis of the input that is under a tap for an output, or -1 outside.
  TROUPE_BOTH int64_t input_at(int axis, int64_t tap, int64_t output) const {
    auto at = output * strides[axis] + tap * dilations[axis] - before[axis];
    return at < in[axis] ? at : -1;
  }
  /// The output for which a position of the input is under a tap; -1: there is none.
  TROUPE_BOTH int64_t output_at(int axis, int64_t tap, int64_t input) const {
    auto from = input + before[axis] - tap * dilations[axis];
    if (from < 0 || from % strides[axis] != 0) return -1;
    auto output = from / strides[axis];
    return output < out[axis] ? output : -1;
  }

  /// Into how many parts, each summed by threads of its own, the gradient of a filter is split:
  /// fewer elements of the filter have more. It depends on the geometry alone, and so does
  /// rounding.
  int64_t parts() const {
    constexpr int64_t wanted = 1 << 18, least_each = 16, parts_max = 1024;
    auto count = filter_elements() > 0 ? wanted / filter_elements() : 1;
    auto most = out_positions() / least_each;
    if (count > most) count = most;
    if (count > parts_max) count = parts_max;
    return count < 1 ? 1 : count;
  }
};

enum class DilationPass : uint8_t { forward, to_input, to_filter };

/// The greatest sum of the filter and each window, of each channel, or its gradients.
struct DilationCall {
  void* result;
  const void* input;
  const void* filter;
  const void* dy;    // of gradients
  int32_t* sources;  // memory of gradients: for each output, the tap with the greatest sum, or -1
  void* partial;     // memory for the filter's gradients: 8 bytes for each element of each part
  DilationGeometry geometry;
  cudaStream_t stream;
};
using LaunchDilation = void (*)(const DilationCall& call);
/// Null where there is none.
LaunchDilation find_dilation(Element element, DilationPass pass);

}  // namespace troupe::cuda
