#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "troupe/graph/types/status.hpp"

// Values with the fields of TensorFlow's tensorforest.TensorForestParams that are used here.

namespace troupe::forest {

struct LinearParam {
  float slope = 0;
  float y_intercept = 0;
  float min_val = 0;
  float max_val = 0;
};
struct ExponentialParam {
  float bias = 0;
  float base = 0;
  float multiplier = 0;
  float depth_multiplier = 0;
};
struct ThresholdParam {
  float on_value = 0;
  float off_value = 0;
  float threshold = 0;
};
/// A number that may change with the depth of a node.
struct DepthParam {
  std::variant<std::monostate, float, LinearParam, ExponentialParam, ThresholdParam> value;

  /// InvalidArgument, with the name of the parameter, where it is not set.
  Result<float> at(int32_t depth, const char* name) const;
  /// As a whole number, the nearest one where it is no int32.
  Result<int32_t> integer_at(int32_t depth, const char* name) const;
};

/// When something is done about the candidates of a leaf, and what.
struct PeriodicConfig {
  DepthParam period;
  int32_t type = 0;
};

enum class LeafModel : int32_t { dense = 0, sparse = 1, regression = 2, sparse_or_dense = 3 };
enum class StatsModel : int32_t { dense_gini = 0, sparse_gini = 1, regression = 2, fixed_size = 4 };
enum class Pruning : int32_t { none = 0, half = 1, quarter = 2, tenth = 3, hoeffding = 4 };
enum class Finish : int32_t { basic = 0, hoeffding = 2, bootstrap = 3 };

/// How trees are trained.
struct Params {
  int32_t leaf_type = 0;
  int32_t stats_type = 0;
  int32_t collection_type = 0;
  PeriodicConfig pruning;
  PeriodicConfig finish;
  int32_t max_nodes = 0;
  int32_t num_features = 0;
  int32_t num_outputs = 0;  // the classes, or the numbers that a regression predicts
  int32_t inequality_test_type = 0;
  bool is_regression = false;
  bool collate_examples = false;
  bool checkpoint_stats = false;
  bool use_running_stats = false;
  bool initialize_average_splits = false;
  bool inference_tree_paths = false;
  DepthParam num_splits_to_consider;
  DepthParam split_after_samples;
  std::optional<DepthParam> dominate_fraction;
  std::optional<DepthParam> min_split_samples;
  int32_t num_classes_to_track = 0;

  /// InvalidArgument or Unimplemented: there are no such leaves, or no such tests, or too many
  /// outputs.
  Status check() const;
};

}  // namespace troupe::forest
