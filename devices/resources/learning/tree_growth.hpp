#pragma once

#include <cstdint>
#include <map>

#include "troupe/devices/resources/learning/tree_ensemble.hpp"

namespace troupe {

/// A split that a leaf may get, and the values that its branches add to that of the leaf.
struct SplitCandidate {
  int32_t feature_id = 0;
  int32_t threshold = 0;
  int32_t dimension_id = 0;
  float gain = 0;
  float left_contribution = 0;
  float right_contribution = 0;
  enum class Kind : uint8_t { default_left, default_right, equality } kind = Kind::default_left;
};

/// Whether branches with too little gain are left out at once, or once their tree is complete.
enum class PruningMode : int32_t { none = 0, before = 1, after = 2 };

struct GrowthOptions {
  int32_t max_depth = 0;
  PruningMode pruning = PruningMode::none;
};

/// Adds a layer to the last tree, by the nodes that are split; a tree of `max_depth` layers is
/// complete, and a new one begins. The attempt counts even where there are no candidates.
/// InvalidArgument, and the ensemble is as it was: it cannot be grown, a node is no leaf of the
/// last tree, or the tree cannot be pruned.
Status grow(
    TreeEnsemble& ensemble, const std::map<int32_t, SplitCandidate>& candidates,
    const GrowthOptions& options);

/// Adds a tree that is a leaf.
void add_tree(TreeEnsemble& ensemble, float value);

/// Makes splits with negative gain and leaves below them leaves, from the bottom, and removes the
/// nodes that nothing leads to any more; the metadata say what became of each node.
/// InvalidArgument, and the tree is as it was: its splits do not lead to later nodes, each to its
/// own.
Status prune(Tree& tree, TreeMetadata& metadata);

}  // namespace troupe
