#pragma once

#include <vector>

#include "troupe/devices/cpu/nn/convolution/convolution.hpp"

namespace troupe::cpu {

/// What can be computed alone of a convolution: of some images or, of one image, of some rows.
struct ConvolutionPart {
  Convolution convolution;
  int64_t input = 0, output = 0;  // where its images begin in those of the whole, in elements
};

/// Parts of about the same work, for so many threads: images or, where there are fewer of them and
/// channels are last, rows of images (places on the first spatial axis). What `pass` computes, the
/// parts compute next to each other; a gradient of the filter is the sum of theirs.
std::vector<ConvolutionPart> split_convolution(
    const Convolution& whole, ConvolutionPass pass, int64_t threads);

}  // namespace troupe::cpu
