#include "troupe/devices/resources/tensor_forest/params.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "troupe/devices/resources/tensor_forest/model.hpp"

namespace troupe::forest {
namespace {

float at_depth(float constant, int32_t) { return constant; }
float at_depth(const LinearParam& param, int32_t depth) {
  auto value = static_cast<float>(depth) * param.slope + param.y_intercept;
  return std::min(std::max(value, param.min_val), param.max_val);
}
float at_depth(const ExponentialParam& param, int32_t depth) {
  auto power = std::pow(param.base, param.depth_multiplier * static_cast<float>(depth));
  return param.bias + param.multiplier * power;
}
float at_depth(const ThresholdParam& param, int32_t depth) {
  return static_cast<float>(depth) >= param.threshold ? param.on_value : param.off_value;
}

}  // namespace

Result<float> DepthParam::at(int32_t depth, const char* name) const {
  return std::visit(
      [&](const auto& param) -> Result<float> {
        if constexpr (std::is_same_v<std::decay_t<decltype(param)>, std::monostate>)
          return invalid_argument("the parameters have no value of " + std::string(name));
        else return at_depth(param, depth);
      },
      value);
}

Result<int32_t> DepthParam::integer_at(int32_t depth, const char* name) const {
  auto found = at(depth, name);
  if (!found) return found.status();
  if (std::isnan(*found)) return invalid_argument(std::string(name) + " is no number");
  constexpr auto least = std::numeric_limits<int32_t>::min();
  constexpr auto most = std::numeric_limits<int32_t>::max();
  if (*found <= static_cast<float>(least)) return least;
  return *found >= static_cast<float>(most) ? most : static_cast<int32_t>(*found);
}

Status Params::check() const {
  if (leaf_type < 0 || leaf_type > static_cast<int32_t>(LeafModel::sparse_or_dense))
    return invalid_argument("Unknown model operator: " + std::to_string(leaf_type));
  if (is_regression != (leaf_type == static_cast<int32_t>(LeafModel::regression)))
    return invalid_argument("the leaves of a regression, and of nothing else, have means");
  if (inequality_test_type < 0 || inequality_test_type > InequalityTest::greater)
    return invalid_argument("Unknown split test type: " + std::to_string(inequality_test_type));
  if (collection_type != 0)
    return unimplemented("only the basic collection of splits is supported");
  // Each leaf has room for so many numbers.
  constexpr int32_t most_outputs = 1 << 22;
  if (num_outputs < 0 || num_outputs > most_outputs)
    return invalid_argument(
        "num_outputs must be between 0 and " + std::to_string(most_outputs) + ", but is " +
        std::to_string(num_outputs));
  return {};
}

}  // namespace troupe::forest
