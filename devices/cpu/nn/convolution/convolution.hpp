#pragma once

#include <array>
#include <cstdint>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/ops/nn/window.hpp"

namespace troupe::cpu {

/// The sizes of a convolution of images or volumes; of images, the first spatial axis has size 1.
struct Convolution {
  using Sizes = std::array<int64_t, 3>;

  int64_t batch = 0;
  int64_t groups = 1, inputs = 0, outputs = 0;  // inputs and outputs: channels of each group
  int spatial = 2;
  bool channels_first = false;
  Sizes in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1};
  Sizes strides{1, 1, 1}, dilations{1, 1, 1}, before{}, after{};

  static Result<Convolution> make(
      const ops::Windows& windows, const Shape& input, const Shape& filter, bool is_depthwise);

  int64_t in_channels() const { return groups * inputs; }
  int64_t out_channels() const { return groups * outputs; }
  int64_t in_positions() const { return in[0] * in[1] * in[2]; }
  int64_t out_positions() const { return out[0] * out[1] * out[2]; }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t filter_elements() const { return taps() * inputs * out_channels(); }
  /// Tap number i as its place on each axis of the filter's window.
  Sizes tap(int64_t i) const {
    return {i / (kernel[1] * kernel[2]), i / kernel[2] % kernel[1], i % kernel[2]};
  }
  /// The input's position under a tap for an output, or -1 in the padding.
  int64_t input_position(const Sizes& tap, const Sizes& output) const {
    int64_t position = 0;
    for (size_t i = 0; i < 3; ++i) {
      auto place = output[i] * strides[i] + tap[i] * dilations[i] - before[i];
      if (place < 0 || place >= in[i]) return -1;
      position = position * in[i] + place;
    }
    return position;
  }
  double flops() const {
    return 2.0 * double(batch) * double(out_positions()) * double(filter_elements());
  }
};

/// What is computed from the other two: the output, or the gradient with respect to an input.
enum class ConvolutionPass : uint8_t { output, input, filter };

/// What the kernels of a pass know of their node.
struct ConvolutionNode {
  ops::Windows windows;
  ConvolutionPass pass;
  bool is_depthwise;

  static Result<ConvolutionNode> of(const Node& node, ConvolutionPass pass, bool is_depthwise);

  struct Plan {
    Convolution convolution;
    Shape result;

    /// Whether all of the result are sums of nothing: also where all windows lie in the padding of
    /// an empty image.
    bool is_empty() const { return convolution.flops() == 0 || convolution.in_positions() == 0; }
  };
  /// Of one launch. Fails where its inputs do not fit each other or the windows.
  Result<Plan> over(const Launch& launch) const;

 private:
  /// The shape of the input or filter: of the tensor itself or, for its gradient, its value.
  Result<Shape> operand_shape(const Launch& launch, int index) const;
};

/// The operands of a pass; the one that it computes is not read.
template <class T>
struct ConvolutionData {
  const T* input = nullptr;
  const T* filter = nullptr;
  const T* output = nullptr;
  T* result = nullptr;
  const Tensor* filter_tensor = nullptr;  // where `filter` has the elements of one, to keep copies
};

/// By plain loops: float and double. Nothing may be empty.
template <class T>
void convolve_by_loops(const Convolution& c, ConvolutionPass pass, const ConvolutionData<T>& data);

/// By oneDNN, on all threads of the arena. Nothing may be empty.
Status convolve_by_dnnl(
    const Launch& launch, const Convolution& c, ConvolutionPass pass,
    const ConvolutionData<float>& data);

/// Whether the gradient of an input is best computed by add_products_to_input(): of few channels,
/// which do not fill the vectors of oneDNN's.
bool suits_added_products(const Convolution& c);
/// By one product of the output's gradients and the filter, of which each pixel gets the sum of its
/// taps.
Status add_products_to_input(
    const Launch& launch, const Convolution& c, const ConvolutionData<float>& data);

}  // namespace troupe::cpu
