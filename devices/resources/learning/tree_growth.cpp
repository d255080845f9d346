#include "troupe/devices/resources/learning/tree_growth.hpp"

#include <limits>

namespace troupe {
namespace {

/// Sums of counters that a file may have set to anything wrap around.
int64_t next(int64_t count) { return static_cast<int64_t>(static_cast<uint64_t>(count) + 1); }

void count_attempt(TreeEnsemble& ensemble) {
  if (!ensemble.growing_metadata) ensemble.growing_metadata.emplace();
  auto& growing = *ensemble.growing_metadata;
  growing.num_layers_attempted = next(growing.num_layers_attempted);
  auto count = ensemble.trees.size();
  auto begins_tree =
      count == 0 || ((count == 1 || ensemble.tree_metadata[count - 2].is_finalized) &&
                     ensemble.trees[count - 1].nodes.size() == 1);
  if (begins_tree) growing.num_trees_attempted = next(growing.num_trees_attempted);
}

void split(Tree& tree, int32_t node_id, const SplitCandidate& candidate) {
  TreeBranches branches{static_cast<int32_t>(tree.nodes.size())};
  branches.right = branches.left + 1;
  tree.nodes.resize(tree.nodes.size() + 2);
  auto& node = tree.nodes[static_cast<size_t>(node_id)];
  auto& leaf = std::get<TreeLeaf>(node.content);
  auto value = leaf.scalar;
  // The first leaf of a tree is kept only where it has a value.
  if (!node.metadata) node.metadata.emplace();
  if (node_id != 0 || value != 0) node.metadata->original_leaf = std::move(leaf);
  node.metadata->gain = candidate.gain;
  if (candidate.kind == SplitCandidate::Kind::equality)
    node.content = CategoricalSplit{
        .feature_id = candidate.feature_id,
        .value = candidate.threshold,
        .branches = branches,
        .dimension_id = candidate.dimension_id};
  else
    node.content = BucketizedSplit{
        .feature_id = candidate.feature_id,
        .threshold = candidate.threshold,
        .branches = branches,
        .dimension_id = candidate.dimension_id,
        .default_direction = candidate.kind == SplitCandidate::Kind::default_right ? 1 : 0};
  auto leaf_of = [&](int32_t branch, float contribution) {
    tree.nodes[static_cast<size_t>(branch)].content = TreeLeaf{{}, value + contribution};
  };
  leaf_of(branches.left, candidate.left_contribution);
  leaf_of(branches.right, candidate.right_contribution);
}

Status check_candidates(const Tree& tree, const std::map<int32_t, SplitCandidate>& candidates) {
  auto count = tree.nodes.size();
  for (const auto& [node, candidate] : candidates)
    if (node < 0 || static_cast<size_t>(node) >= count ||
        !tree.nodes[static_cast<size_t>(node)].is_leaf())
      return invalid_argument(
          "node " + std::to_string(node) + " is no leaf of the last tree, so it cannot be split");
  if (count + 2 * candidates.size() > size_t{std::numeric_limits<int32_t>::max()})
    return resource_exhausted("a tree would have more than 2^31 nodes");
  return {};
}

bool is_split(const SplitCandidate& candidate, PruningMode pruning) {
  return pruning != PruningMode::before || !(candidate.gain < 0);
}

}  // namespace

void add_tree(TreeEnsemble& ensemble, float value) {
  Tree tree;
  tree.nodes.emplace_back().content = TreeLeaf{{}, value};
  ensemble.trees.push_back(std::move(tree));
  ensemble.tree_weights.push_back(1);
  ensemble.tree_metadata.emplace_back();
}

Status grow(
    TreeEnsemble& ensemble, const std::map<int32_t, SplitCandidate>& candidates,
    const GrowthOptions& options) {
  auto status = ensemble.check_growable();
  if (!status.ok()) return status;
  auto grown = ensemble.trees.empty() ? Tree() : ensemble.trees.back();
  if (grown.nodes.empty()) grown.nodes.emplace_back().content = TreeLeaf{};
  if (status = check_candidates(grown, candidates); !status.ok()) return status;
  auto start = static_cast<int32_t>(grown.nodes.size());
  for (const auto& [node, candidate] : candidates)
    if (is_split(candidate, options.pruning)) split(grown, node, candidate);
  auto end = static_cast<int32_t>(grown.nodes.size());
  auto metadata = ensemble.trees.empty() ? TreeMetadata() : ensemble.tree_metadata.back();
  auto layers = int64_t{metadata.num_layers_grown} + 1;
  auto is_complete = end > start && layers >= options.max_depth;
  if (is_complete && options.pruning == PruningMode::after)
    if (status = prune(grown, metadata); !status.ok()) return status;

  count_attempt(ensemble);
  if (ensemble.trees.empty()) add_tree(ensemble, 0);
  if (end == start) return {};
  metadata.num_layers_grown = static_cast<int32_t>(layers);
  metadata.is_finalized = metadata.is_finalized || is_complete;
  ensemble.trees.back() = std::move(grown);
  ensemble.tree_metadata.back() = std::move(metadata);
  // The next layer is that of a new tree, whose root is all that it has.
  if (is_complete) add_tree(ensemble, 0);
  ensemble.growing_metadata->last_layer_node_start = is_complete ? 0 : start;
  ensemble.growing_metadata->last_layer_node_end = is_complete ? 1 : end;
  return {};
}

}  // namespace troupe
