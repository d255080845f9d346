#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "troupe/devices/resources/tensor_forest/fertile_stats.hpp"
#include "troupe/devices/resources/tensor_forest/params.hpp"

// Messages of TensorFlow's formats: generic_tree_model.proto, fertile_stats.proto and
// tensor_forest_params.proto.

namespace troupe::cpu {

/// The same bytes as TensorFlow's for the same value, except for the order of sparse weights.
std::string serialize(const forest::Model& model);
std::string serialize(const forest::FertileStats& stats);
std::string serialize(const forest::TreePath& path);

// Nothing where the bytes are no such message.
std::optional<forest::Model> parse_model(std::string_view bytes);
std::optional<forest::FertileStats> parse_fertile_stats(std::string_view bytes);
std::optional<forest::Params> parse_params(std::string_view bytes);

}  // namespace troupe::cpu
