#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "troupe/devices/resources/learning/tree_ensemble.hpp"

// Messages of TensorFlow's formats: TreeEnsemble and DebugOutput of boosted_trees.proto.

namespace troupe::cpu {

/// The same bytes as TensorFlow's for the same ensemble.
std::string serialize_ensemble(const TreeEnsemble& ensemble);
/// Nothing where the bytes are no such message. Fields that it does not have are left out.
std::optional<TreeEnsemble> parse_ensemble(std::string_view bytes);

/// The features that trees ask for on the way of an example, and its logit on that way.
struct DebugOutput {
  std::vector<int32_t> feature_ids;
  std::vector<float> logits_path;
};
std::string serialize_debug_output(const DebugOutput& output);

}  // namespace troupe::cpu
