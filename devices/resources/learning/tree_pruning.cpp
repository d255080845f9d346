#include <algorithm>

#include "troupe/devices/resources/learning/tree_growth.hpp"

namespace troupe {
namespace {

/// Where each node went, and what its value changed by on the way.
struct Removal {
  size_t into;  // itself where it stays
  float change = 0;
};

/// For each node, whether its tree reaches it from the root.
Result<std::vector<bool>> reached_nodes(const Tree& tree) {
  std::vector<bool> reached(tree.nodes.size());
  reached[0] = true;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    if (!reached[i] || tree.nodes[i].is_leaf()) continue;
    const auto* branches = branches_of(tree.nodes[i]);
    if (!branches) return invalid_argument("a tree has a node that is no leaf and no split");
    for (auto branch : {branches->left, branches->right}) {
      auto is_later = branch > 0 && static_cast<size_t>(branch) > i;
      if (!is_later || static_cast<size_t>(branch) >= tree.nodes.size() ||
          reached[static_cast<size_t>(branch)])
        return invalid_argument(
            "a split leads to node " + std::to_string(branch) + ", which cannot be pruned");
      reached[static_cast<size_t>(branch)] = true;
    }
  }
  return reached;
}

TreeLeaf original_leaf(const TreeNode& node) {
  return node.metadata->original_leaf.value_or(TreeLeaf());
}

/// Makes splits leaves, and says which nodes that removes.
Result<std::vector<Removal>> remove_splits(Tree& tree) {
  auto reached = reached_nodes(tree);
  if (!reached) return reached.status();
  std::vector<Removal> removals;
  for (size_t i = 0; i < tree.nodes.size(); ++i) removals.push_back({i});
  // Branches come after their split, so that they are done before it.
  for (auto i = tree.nodes.size(); i-- > 0;) {
    auto& node = tree.nodes[i];
    if (!(*reached)[i] || node.is_leaf()) continue;
    if (!node.metadata || !(node.metadata->gain < 0)) continue;
    auto branches = *branches_of(node);
    auto leaf = original_leaf(node);
    auto ids = {static_cast<size_t>(branches.left), static_cast<size_t>(branches.right)};
    if (!std::ranges::all_of(ids, [&](auto id) { return tree.nodes[id].is_leaf(); })) continue;
    node.content = leaf;
    node.metadata.reset();
    auto value = node_values(node);
    for (auto id : ids) {
      auto old = node_values(tree.nodes[id]);
      if (value.size() != 1 || old.size() != 1)
        return invalid_argument("only trees with one value in each leaf can be pruned");
      removals[id] = {i, value[0] - old[0]};
    }
  }
  return removals;
}

void move_branches(TreeNode& node, const std::vector<int32_t>& new_ids) {
  auto move = [&](TreeBranches& branches) {
    branches.left = new_ids[static_cast<size_t>(branches.left)];
    branches.right = new_ids[static_cast<size_t>(branches.right)];
  };
  if (auto* split = std::get_if<BucketizedSplit>(&node.content)) move(split->branches);
  if (auto* split = std::get_if<CategoricalSplit>(&node.content)) move(split->branches);
}

}  // namespace

Status prune(Tree& tree, TreeMetadata& metadata) {
  auto pruned = tree;
  auto removals = remove_splits(pruned);
  if (!removals) return removals.status();
  auto is_kept = [&](size_t node) { return (*removals)[node].into == node; };
  auto reached = reached_nodes(tree);
  if (!reached) return reached.status();
  std::vector<int32_t> new_ids(tree.nodes.size());
  int32_t kept = 0;
  for (size_t i = 0; i < tree.nodes.size(); ++i)
    if (is_kept(i)) new_ids[i] = kept++;
  if (static_cast<size_t>(kept) == tree.nodes.size()) return {};
  Tree result;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    PrunedNode entry;
    float change = 0;
    auto at = i;
    for (; !is_kept(at); at = (*removals)[at].into) change += (*removals)[at].change;
    entry.new_node_id = new_ids[at];
    entry.logit_change = {change};
    metadata.post_pruned_nodes.push_back(std::move(entry));
    if (!is_kept(i)) continue;
    if ((*reached)[i]) move_branches(pruned.nodes[i], new_ids);
    result.nodes.push_back(std::move(pruned.nodes[i]));
  }
  tree = std::move(result);
  return {};
}

}  // namespace troupe
