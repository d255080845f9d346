#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "troupe/devices/resources/tensor_forest/examples.hpp"
#include "troupe/devices/resources/tensor_forest/model.hpp"

namespace troupe::forest {

/// The number that a feature's id says. InvalidArgument where it is none.
Result<int32_t> feature_of(const FeatureId& id);
/// The features that a node's test asks for.
Result<std::vector<int32_t>> features_of(const BinaryNode& node);

/// The test of a node, ready for many examples. A value.
class Decision {
 public:
  /// InvalidArgument: there is no test, or no such one.
  static Result<Decision> make(const BinaryNode& node);

  /// Whether an example goes to the left; nothing where examples do not have the feature.
  std::optional<bool> goes_left(const Examples& examples, int64_t example) const;

 private:
  enum class Kind : uint8_t {
    less_or_equal,
    less,
    greater_or_equal,
    greater,
    oblique,
    any_of,
    none_of
  };

  std::optional<bool> is_sum_low(const Examples& examples, int64_t example) const;

  Kind kind_ = Kind::less_or_equal;
  int32_t feature_ = 0;
  float threshold_ = 0;
  std::vector<int32_t> features_;  // of a sum
  std::vector<float> numbers_;     // the weights of a sum, or the values that match
};

}  // namespace troupe::forest
