#pragma once

#include "troupe/devices/resources/tensor_forest/model.hpp"

// Values with the fields of TensorFlow's tensorforest.FertileStats.

namespace troupe::forest {

struct GiniStats {
  float square = 0;
};
/// The sums of the weights of each class.
struct ClassificationStat {
  std::variant<std::monostate, Vector, SparseVector> counts;
  std::optional<GiniStats> gini;
};
/// The sums of each output, and of its squares.
struct RegressionStat {
  std::optional<Vector> mean_output;
  std::optional<Vector> mean_output_squares;
};
/// What is known of the examples that got to a leaf, or would get to one.
struct LeafStat {
  std::variant<std::monostate, ClassificationStat, RegressionStat> stat;
  float weight_sum = 0;
};

/// A split that a leaf may get, and what is known of its branches.
struct SplitCandidate {
  std::optional<BinaryNode> split;
  std::optional<LeafStat> left_stats;
  std::optional<LeafStat> right_stats;
  std::string unique_id;
};
/// A leaf that may be split.
struct FertileSlot {
  std::vector<SplitCandidate> candidates;
  std::optional<LeafStat> leaf_stats;
  int32_t node_id = 0;
  std::optional<LeafStat> post_init_leaf_stats;
  int32_t depth = 0;
};
struct FertileStats {
  std::vector<FertileSlot> node_to_slot;
};

}  // namespace troupe::forest
