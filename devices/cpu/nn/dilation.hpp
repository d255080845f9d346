#pragma once

#include "troupe/devices/cpu/nn/convolution/convolution.hpp"

namespace troupe::cpu {

/// What the kernels of dilations know of their node.
struct DilationNode {
  ops::Windows windows;
  bool has_gradient;  // as the third input

  static Result<DilationNode> of(const Node& node, bool has_gradient);

  /// A dilation seen as a convolution of each channel, and the shape of its result.
  struct Plan {
    Convolution convolution;
    Shape output;
  };
  /// Of inputs 0 and 1, images and the filter, in one launch.
  Result<Plan> over(const Launch& launch) const;
};

}  // namespace troupe::cpu
