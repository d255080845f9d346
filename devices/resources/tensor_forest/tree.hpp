#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "troupe/devices/resources/tensor_forest/decision.hpp"
#include "troupe/devices/resources/tensor_forest/fertile_stats.hpp"
#include "troupe/devices/resources/tensor_forest/params.hpp"

namespace troupe::forest {

/// A decision tree that grows, with its tests ready for many examples.
class Tree {
 public:
  /// Of a model without nodes, a tree that is one leaf. InvalidArgument: the parameters are none,
  /// or a node has no test that there is.
  static Result<Tree> make(std::shared_ptr<const Params> params, Model model);

  const std::shared_ptr<const Params>& shared_params() const { return params_; }
  const Model& model() const { return model_; }
  size_t size() const { return nodes().size(); }
  const std::vector<TreeNode>& nodes() const { return model_.tree.nodes; }

  /// The leaf that an example gets to, and the nodes on its way where there is a `path`.
  /// InvalidArgument: it gets nowhere.
  Result<int32_t> find_leaf(
      const Examples& examples, int64_t example, TreePath* path = nullptr) const;

  /// The leaf of that number; InvalidArgument where it is none.
  Result<const Leaf*> leaf(int32_t node) const;
  Result<Leaf*> leaf(int32_t node);

  /// Gives a leaf two branches, and returns the numbers of them. InvalidArgument: it is no leaf.
  Result<std::pair<int32_t, int32_t>> split(int32_t node, const SplitCandidate& candidate);

  /// How many splits use each feature. InvalidArgument: one uses a feature that there is not.
  Status count_features(std::span<int32_t> counts) const;

 private:
  Status check_node(int64_t node) const;

  std::shared_ptr<const Params> params_;
  Model model_;
  std::vector<std::optional<Decision>> decisions_;  // of each node; leaves have none
};

/// What a leaf predicts of each output: weights of classes, or means. InvalidArgument: it has too
/// few.
Status get_outputs(const Leaf& leaf, const Params& params, std::span<float> to);
/// Adds an example to the weights of a leaf. InvalidArgument: its class is none, or the leaf has no
/// room for it.
Status add_example(Leaf& leaf, const Params& params, const Targets& targets, int64_t example);

}  // namespace troupe::forest
