#pragma once

#include <string>
#include <vector>

#include "troupe/graph/build/builder.hpp"

namespace troupe::nn {

/// The windows of a pool, with sizes as in ConvolutionOptions.
struct PoolOptions {
  std::vector<int64_t> ksize = {2};
  std::vector<int64_t> strides = {2};
  std::string padding = "VALID";  // or "SAME"
  std::string data_format = "NHWC";
};

/// The greatest element of each window, by channel.
Value max_pool(const Builder& builder, const Value& value, const PoolOptions& options = {});
/// The mean of each window, by channel, of the elements that are inside of the image.
Value avg_pool(const Builder& builder, const Value& value, const PoolOptions& options = {});

}  // namespace troupe::nn
