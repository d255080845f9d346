#include "troupe/devices/resources/tensor_forest/tree.hpp"

#include <algorithm>
#include <limits>

namespace troupe::forest {
namespace {

/// What a leaf has that no example got to yet.
Leaf new_leaf(const Params& params) {
  Leaf leaf;
  auto model = static_cast<LeafModel>(params.leaf_type);
  if (model == LeafModel::dense || model == LeafModel::regression)
    leaf.values.emplace<Vector>().values.resize(static_cast<size_t>(params.num_outputs));
  return leaf;
}

Result<Leaf> mean_leaf(const LeafStat& stat, const Params& params) {
  static const Vector none;
  auto* regression = std::get_if<RegressionStat>(&stat.stat);
  const auto& sums = regression && regression->mean_output ? *regression->mean_output : none;
  if (sums.values.size() < static_cast<size_t>(params.num_outputs))
    return invalid_argument("a split has too few means for a leaf");
  Leaf leaf;
  auto& means = leaf.values.emplace<Vector>().values;
  for (size_t i = 0; i < static_cast<size_t>(params.num_outputs); ++i)
    means.push_back(Value{sums.values[i].real() / stat.weight_sum});
  return leaf;
}

/// The leaf that one side of a split begins as.
Result<Leaf> leaf_of(const std::optional<LeafStat>& side, const Params& params) {
  auto stat = side.value_or(LeafStat());
  auto model = static_cast<LeafModel>(params.leaf_type);
  if (model == LeafModel::regression) return mean_leaf(stat, params);
  Leaf leaf;
  auto* counts = std::get_if<ClassificationStat>(&stat.stat);
  auto* dense = counts ? std::get_if<Vector>(&counts->counts) : nullptr;
  auto* sparse = counts ? std::get_if<SparseVector>(&counts->counts) : nullptr;
  if (model == LeafModel::dense || (model == LeafModel::sparse_or_dense && dense))
    leaf.values = dense ? std::move(*dense) : Vector();
  else leaf.values = sparse ? std::move(*sparse) : SparseVector();
  return leaf;
}

/// Whether its weights are those of a vector.
bool is_dense(const Leaf& leaf, const Params& params) {
  auto model = static_cast<LeafModel>(params.leaf_type);
  return model == LeafModel::dense || model == LeafModel::regression ||
         (model == LeafModel::sparse_or_dense && std::holds_alternative<Vector>(leaf.values));
}

}  // namespace

Result<Tree> Tree::make(std::shared_ptr<const Params> params, Model model) {
  if (auto status = params->check(); !status.ok()) return status;
  Tree tree;
  tree.params_ = std::move(params);
  tree.model_ = std::move(model);
  auto& nodes = tree.model_.tree.nodes;
  if (nodes.empty()) nodes.emplace_back().content = new_leaf(*tree.params_);
  if (nodes.size() > size_t{std::numeric_limits<int32_t>::max()} - 2)
    return invalid_argument("a tree has too many nodes");
  for (const auto& node : nodes) {
    auto& decision = tree.decisions_.emplace_back();
    auto* binary = std::get_if<BinaryNode>(&node.content);
    if (!binary) continue;
    auto made = Decision::make(*binary);
    if (!made) return made.status();
    decision = *std::move(made);
  }
  return tree;
}

Status Tree::check_node(int64_t node) const {
  if (node >= 0 && node < static_cast<int64_t>(size())) return {};
  return invalid_argument(
      "there is no node " + std::to_string(node) + " in a tree of " + std::to_string(size()));
}

Result<int32_t> Tree::find_leaf(const Examples& examples, int64_t example, TreePath* path) const {
  int32_t at = 0;
  for (size_t steps = 0; steps < size(); ++steps) {
    const auto& node = nodes()[static_cast<size_t>(at)];
    if (path) path->nodes_visited.push_back(node);
    if (std::holds_alternative<Leaf>(node.content)) return at;
    const auto& decision = decisions_[static_cast<size_t>(at)];
    if (!decision)
      return invalid_argument("node " + std::to_string(at) + " of a tree is no leaf and no split");
    auto is_left = decision->goes_left(examples, example);
    if (!is_left)
      return invalid_argument(
          "node " + std::to_string(at) + " asks for a feature that examples do not have");
    const auto& binary = std::get<BinaryNode>(node.content);
    const auto& branch = *is_left ? binary.left_child_id : binary.right_child_id;
    auto next = branch.value_or(WrappedInt()).value;
    if (auto status = check_node(next); !status.ok()) return status;
    // As in TensorFlow, what the next node says of itself counts.
    at = nodes()[static_cast<size_t>(next)].node_id.value_or(WrappedInt()).value;
    if (auto status = check_node(at); !status.ok()) return status;
  }
  return invalid_argument("the splits of a tree lead round in a circle");
}

Result<const Leaf*> Tree::leaf(int32_t node) const {
  if (auto status = check_node(node); !status.ok()) return status;
  auto* found = std::get_if<Leaf>(&nodes()[static_cast<size_t>(node)].content);
  if (!found) return invalid_argument("node " + std::to_string(node) + " is no leaf");
  return found;
}

Result<Leaf*> Tree::leaf(int32_t node) {
  auto found = std::as_const(*this).leaf(node);
  if (!found) return found.status();
  return const_cast<Leaf*>(*found);
}

Result<std::pair<int32_t, int32_t>> Tree::split(int32_t node, const SplitCandidate& candidate) {
  if (auto found = leaf(node); !found) return found.status();
  auto left = leaf_of(candidate.left_stats, *params_);
  if (!left) return left.status();
  auto right = leaf_of(candidate.right_stats, *params_);
  if (!right) return right.status();
  auto binary = candidate.split.value_or(BinaryNode());
  auto decision = Decision::make(binary);
  if (!decision) return decision.status();
  if (size() > size_t{std::numeric_limits<int32_t>::max()} - 2)
    return resource_exhausted("a tree would have more than 2^31 nodes");
  auto first = static_cast<int32_t>(size());
  binary.left_child_id = WrappedInt{first};
  binary.right_child_id = WrappedInt{first + 1};
  auto& all = model_.tree.nodes;
  for (auto* side : {&*left, &*right}) {
    auto& added = all.emplace_back();
    added.node_id = WrappedInt{static_cast<int32_t>(size()) - 1};
    added.content = std::move(*side);
    decisions_.emplace_back();
  }
  all[static_cast<size_t>(node)].content = std::move(binary);
  decisions_[static_cast<size_t>(node)] = *std::move(decision);
  return std::pair(first, first + 1);
}

Status Tree::count_features(std::span<int32_t> counts) const {
  std::ranges::fill(counts, 0);
  for (const auto& node : nodes()) {
    auto* binary = std::get_if<BinaryNode>(&node.content);
    if (!binary) continue;
    auto features = features_of(*binary);
    if (!features) return features.status();
    for (auto feature : *features) {
      if (feature < 0 || static_cast<size_t>(feature) >= counts.size())
        return invalid_argument(
            "a split uses feature " + std::to_string(feature) + ", but num_features is " +
            std::to_string(counts.size()));
      ++counts[static_cast<size_t>(feature)];
    }
  }
  return {};
}

Status get_outputs(const Leaf& leaf, const Params& params, std::span<float> to) {
  if (is_dense(leaf, params)) {
    auto* vector = std::get_if<Vector>(&leaf.values);
    auto count = vector ? vector->values.size() : 0;
    if (count < to.size())
      return invalid_argument(
          "a leaf has " + std::to_string(count) + " values, but there are " +
          std::to_string(to.size()) + " outputs");
    for (size_t i = 0; i < to.size(); ++i) to[i] = vector->values[i].real();
    return {};
  }
  std::ranges::fill(to, 0.0f);
  if (auto* sparse = std::get_if<SparseVector>(&leaf.values))
    for (const auto& [label, value] : sparse->values)
      if (label >= 0 && label < static_cast<int64_t>(to.size()))
        to[static_cast<size_t>(label)] = value.real();
  return {};
}

Status add_example(Leaf& leaf, const Params& params, const Targets& targets, int64_t example) {
  if (static_cast<LeafModel>(params.leaf_type) == LeafModel::regression) return {};
  auto label = targets.label(example, params.num_outputs);
  if (!label) return label.status();
  auto add = [&](Value& value) { value.held = value.real() + targets.weight(example); };
  if (is_dense(leaf, params)) {
    auto* vector = std::get_if<Vector>(&leaf.values);
    if (!vector || static_cast<size_t>(*label) >= vector->values.size())
      return invalid_argument("a leaf has no weight of class " + std::to_string(*label));
    add(vector->values[static_cast<size_t>(*label)]);
    return {};
  }
  if (!std::holds_alternative<SparseVector>(leaf.values)) leaf.values.emplace<SparseVector>();
  add(std::get<SparseVector>(leaf.values).values[*label]);
  return {};
}

}  // namespace troupe::forest
