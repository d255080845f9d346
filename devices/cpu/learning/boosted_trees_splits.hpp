#pragma once

#include <limits>
#include <string>
#include <vector>

#include "troupe/devices/cpu/learning/boosted_trees_weights.hpp"
#include "troupe/devices/kernel.hpp"

namespace troupe::cpu {

struct SplitCosts {
  LeafRegularization regularization;
  float tree_complexity = 0;  // what a split must gain besides
  float min_node_weight = 0;  // of the hessians of a node that is split
};
/// The four scalars from that input on.
Result<SplitCosts> split_costs(const Launch& launch, int first);

/// The nodes that may be split.
struct NodeRange {
  int32_t first = 0;
  int32_t last = 0;  // the one behind
};
/// Input 0. InvalidArgument unless it is empty or within the first `count` nodes.
Result<NodeRange> node_range(const Launch& launch, int64_t count);

/// The best split that was found, without what it costs.
struct BestSplit {
  float gain = std::numeric_limits<float>::lowest();
  int32_t bucket = 0;
  int32_t dimension = 0;
  std::string type;
  std::vector<float> left, right;  // what it adds to each logit

  bool is_found() const { return gain != std::numeric_limits<float>::lowest(); }
};
struct NodeSplit {
  int32_t node = 0;
  BestSplit best;
  float gain = 0;  // what remains of it
};
/// Sets all outputs of an op that finds the split of a feature.
Status set_splits(Launch& launch, const std::vector<NodeSplit>& splits, int64_t logits);

/// A part of add_boosted_trees_split_kernels().
void add_boosted_trees_feature_split_kernels(KernelCatalog& catalog);

}  // namespace troupe::cpu
