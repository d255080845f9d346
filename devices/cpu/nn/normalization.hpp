#pragma once

#include <cstdint>
#include <initializer_list>

#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

// The parts of the normalization family.
void add_local_response_kernels(KernelCatalog& catalog);

/// What the kernels of batch normalization, and of its gradient, know of their node.
struct BatchNormNode {
  bool is_training, channels_first, has_reserve_3;
  double epsilon;
  DType dtype, statistics;

  explicit BatchNormNode(const Node& node);

  /// The number of channels of the images, which are that input; InvalidArgument unless these
  /// inputs have an element for each.
  Result<int64_t> channels(
      const Launch& launch, int images, std::initializer_list<int> vectors) const;
  /// That of what is to be normalized, whose inputs are checked.
  Result<int64_t> channels_of_forward(const Launch& launch) const;
};

/// Whether the inputs of LRN, or of its gradient, are images of one shape.
Status check_lrn_images(const Launch& launch);

}  // namespace troupe::cpu
