#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "troupe/graph/types/status.hpp"

namespace troupe {

/// The values of a leaf, one for each logit, where it has more than its scalar.
struct LeafVector {
  std::vector<float> values;
};
struct LeafSparseVector {
  std::vector<int32_t> indices;
  std::vector<float> values;
};
struct TreeLeaf {
  std::variant<std::monostate, LeafVector, LeafSparseVector> values;
  float scalar = 0;
};

/// The two nodes that a split leads to, by their positions in the tree.
struct TreeBranches {
  int32_t left = 0;
  int32_t right = 0;
};
/// To the left where the bucket of the feature is at most the threshold.
struct BucketizedSplit {
  int32_t feature_id = 0;
  int32_t threshold = 0;
  TreeBranches branches;
  int32_t dimension_id = 0;
  int32_t default_direction = 0;  // of missing values: 0 is left, 1 is right
};
/// To the left where the feature is that value.
struct CategoricalSplit {
  int32_t feature_id = 0;
  int32_t value = 0;
  TreeBranches branches;
  int32_t dimension_id = 0;
};
/// Of features that are not bucketized: kept, but nothing predicts with it.
struct DenseSplit {
  int32_t feature_id = 0;
  float threshold = 0;
  TreeBranches branches;
};

struct TreeNodeMetadata {
  float gain = 0;
  std::optional<TreeLeaf> original_leaf;  // what the node was before it was split
};
struct TreeNode {
  std::variant<std::monostate, TreeLeaf, BucketizedSplit, CategoricalSplit, DenseSplit> content;
  std::optional<TreeNodeMetadata> metadata;

  bool is_leaf() const { return std::holds_alternative<TreeLeaf>(content); }
};
/// Node 0 is the root.
struct Tree {
  std::vector<TreeNode> nodes;
};

/// What became of a node when its tree was pruned: where it is now, and how its value changed.
struct PrunedNode {
  int32_t new_node_id = 0;
  std::vector<float> logit_change;
};
struct TreeMetadata {
  int32_t num_layers_grown = 0;
  bool is_finalized = false;
  std::vector<PrunedNode> post_pruned_nodes;  // empty: nothing was pruned
};
struct GrowingMetadata {
  int64_t num_trees_attempted = 0;
  int64_t num_layers_attempted = 0;
  int32_t last_layer_node_start = 0;
  int32_t last_layer_node_end = 0;
};

/// Decision trees whose predictions add up. A value, with the fields of TensorFlow's TreeEnsemble;
/// it may come from a file, so ids may lead anywhere, and lists may have any length.
struct TreeEnsemble {
  std::vector<Tree> trees;
  std::vector<float> tree_weights;
  std::vector<TreeMetadata> tree_metadata;
  std::optional<GrowingMetadata> growing_metadata;

  /// InvalidArgument unless each tree has a weight and a node: to predict.
  Status check() const;
  /// InvalidArgument unless there are as many weights and entries of metadata as trees, which have
  /// nodes: to grow.
  Status check_growable() const;
};

/// Where an example goes from a node that is no leaf, as the position of the next node.
/// `buckets` has those of each feature, of all examples. InvalidArgument: the node has no branches,
/// or asks for a feature that there is not.
Result<int32_t> next_node(
    const Tree& tree, int32_t node, std::span<const std::span<const int32_t>> buckets,
    int64_t example);

/// The values of a leaf, or those that a split had as a leaf; empty where those are not known.
std::span<const float> node_values(const TreeNode& node);
/// The feature that a split asks for; 0 for other nodes.
int32_t feature_of(const TreeNode& node);
/// Null for what has no branches.
const TreeBranches* branches_of(const TreeNode& node);

}  // namespace troupe
