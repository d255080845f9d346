#include "troupe/graph/build/nn/window.hpp"

#include <algorithm>
#include <cctype>

namespace troupe::nn {

Result<std::vector<int64_t>> window_sizes(
    const std::vector<int64_t>& sizes, const std::string& data_format, const char* name) {
  if (data_format != "NHWC" && data_format != "NCHW")
    return invalid_argument("data_format must be either NHWC or NCHW: " + data_format);
  if (sizes.size() == 4) return sizes;
  if (sizes.size() != 1 && sizes.size() != 2)
    return invalid_argument(
        std::string(name) + " should be of length 1, 2 or 4 but was " +
        std::to_string(sizes.size()));
  auto height = sizes.front(), width = sizes.back();
  if (data_format == "NCHW") return std::vector<int64_t>{1, 1, height, width};
  return std::vector<int64_t>{1, height, width, 1};
}

Result<Attrs> window_attrs(const ConvolutionOptions& options) {
  auto strides = window_sizes(options.strides, options.data_format, "strides");
  if (!strides) return strides.status();
  auto dilations = window_sizes(options.dilations, options.data_format, "dilations");
  if (!dilations) return dilations.status();
  auto padding = options.padding;
  std::ranges::transform(
      padding, padding.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  Attrs attrs{{"strides", *strides}, {"padding", padding}, {"data_format", options.data_format}};
  if (!std::ranges::all_of(*dilations, [](int64_t size) { return size == 1; }))
    attrs["dilations"] = *dilations;
  if (!options.explicit_paddings.empty()) attrs["explicit_paddings"] = options.explicit_paddings;
  return attrs;
}

}  // namespace troupe::nn
