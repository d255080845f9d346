#include "troupe/devices/resources/learning/tree_ensemble.hpp"

#include <algorithm>

namespace troupe {
namespace {

std::span<const float> leaf_values(const TreeLeaf& leaf) {
  if (auto* vector = std::get_if<LeafVector>(&leaf.values)) return vector->values;
  return {&leaf.scalar, 1};
}

Status check_position(int32_t node, size_t count) {
  if (node >= 0 && static_cast<size_t>(node) < count) return {};
  return invalid_argument(
      "a split leads to node " + std::to_string(node) + ", but its tree has " +
      std::to_string(count) + " nodes");
}

Result<int32_t> bucket_of(
    int32_t feature, std::span<const std::span<const int32_t>> buckets, int64_t example) {
  if (feature < 0 || static_cast<size_t>(feature) >= buckets.size())
    return invalid_argument(
        "a split asks for feature " + std::to_string(feature) + ", but there are " +
        std::to_string(buckets.size()));
  return buckets[static_cast<size_t>(feature)][static_cast<size_t>(example)];
}

}  // namespace

Status TreeEnsemble::check() const {
  if (tree_weights.size() < trees.size())
    return invalid_argument(
        "the ensemble has " + std::to_string(trees.size()) + " trees, but " +
        std::to_string(tree_weights.size()) + " weights");
  if (std::ranges::any_of(trees, [](const Tree& tree) { return tree.nodes.empty(); }))
    return invalid_argument("the ensemble has a tree without nodes");
  return {};
}

Status TreeEnsemble::check_growable() const {
  if (tree_weights.size() != trees.size() || tree_metadata.size() != trees.size())
    return invalid_argument(
        "the ensemble has " + std::to_string(trees.size()) + " trees, but " +
        std::to_string(tree_weights.size()) + " weights and " +
        std::to_string(tree_metadata.size()) + " entries of metadata");
  return check();
}

std::span<const float> node_values(const TreeNode& node) {
  if (auto* leaf = std::get_if<TreeLeaf>(&node.content)) return leaf_values(*leaf);
  if (!node.metadata || !node.metadata->original_leaf) return {};
  return leaf_values(*node.metadata->original_leaf);
}

int32_t feature_of(const TreeNode& node) {
  if (auto* split = std::get_if<BucketizedSplit>(&node.content)) return split->feature_id;
  if (auto* split = std::get_if<CategoricalSplit>(&node.content)) return split->feature_id;
  return 0;
}

const TreeBranches* branches_of(const TreeNode& node) {
  if (auto* split = std::get_if<BucketizedSplit>(&node.content)) return &split->branches;
  if (auto* split = std::get_if<CategoricalSplit>(&node.content)) return &split->branches;
  return nullptr;
}

Result<int32_t> next_node(
    const Tree& tree, int32_t node, std::span<const std::span<const int32_t>> buckets,
    int64_t example) {
  const auto& from = tree.nodes[static_cast<size_t>(node)];
  const auto* branches = branches_of(from);
  if (!branches)
    return invalid_argument("node " + std::to_string(node) + " of a tree is no leaf and no split");
  auto bucket = bucket_of(feature_of(from), buckets, example);
  if (!bucket) return bucket;
  auto* bucketized = std::get_if<BucketizedSplit>(&from.content);
  auto goes_left = bucketized ? *bucket <= bucketized->threshold
                              : *bucket == std::get<CategoricalSplit>(from.content).value;
  auto next = goes_left ? branches->left : branches->right;
  auto status = check_position(next, tree.nodes.size());
  if (!status.ok()) return status;
  return next;
}

}  // namespace troupe
