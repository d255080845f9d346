#pragma once

#include <array>
#include <compare>
#include <map>
#include <memory>
#include <mutex>

#include "troupe/devices/cpu/nn/convolution.hpp"
#include "troupe/devices/cuda/nn/dnn_library.hpp"

namespace troupe::cuda {

/// A convolution of images as the library makes it: with as much padding before an axis as behind.
struct ConvolutionShape {
  using Pair = std::array<int, 2>;

  cpu::ConvolutionPass pass;
  DType dtype;
  bool channels_first;
  int batch, groups, inputs, outputs;  // channels of all groups
  Pair in, out, kernel, strides, dilations, padding;

  auto operator<=>(const ConvolutionShape&) const = default;
};

/// How the library makes a convolution.
struct ConvolutionPlan {
  DnnTensor input, output;
  DnnFilter filter;
  DnnConvolution convolution;
  /// How images and filters lie: [batch, channels, height, width] and [outputs, inputs, height,
  /// width], or channels last in both.
  bool channels_first = false;
  int algorithm = 0;  // the library's number of it, in the enumeration of the pass
  size_t workspace = 0;
};

/// The plans of a card, as they were chosen when a shape was first met. Thread-safe.
class ConvolutionPlans {
 public:
  explicit ConvolutionPlans(const Card& card);

  Result<std::shared_ptr<const ConvolutionPlan>> plan(
      const Launch& launch, const ConvolutionShape& shape);

 private:
  const bool allows_tf32_;
  std::mutex mutex_;
  std::map<ConvolutionShape, std::shared_ptr<const ConvolutionPlan>> plans_;
};

}  // namespace troupe::cuda
