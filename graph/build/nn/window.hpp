#pragma once

#include <optional>
#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"

namespace troupe::nn {

/// How windows move over images. Sizes are one for both axes of space, one for each, or one for
/// each of the four axes, as tf.nn takes them.
struct ConvolutionOptions {
  std::vector<int64_t> strides = {1};
  std::string padding = "SAME";  // or "VALID", or "EXPLICIT"
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1};
  std::vector<int64_t> explicit_paddings = {};  // two for each axis
};

/// The attributes of an op that has windows over images: "strides", "padding", "data_format", and
/// the rest where they are not the default.
Result<Attrs> window_attrs(const ConvolutionOptions& options);

/// One size for each of the four axes; InvalidArgument names the sizes.
Result<std::vector<int64_t>> window_sizes(
    const std::vector<int64_t>& sizes, const std::string& data_format, const char* name);

}  // namespace troupe::nn
