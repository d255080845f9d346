#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/learning/boosted_trees_splits.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

/// The best bucket to split a node behind, by the sums of its gradients and hessians in each.
struct BestBucket {
  float gain = std::numeric_limits<float>::lowest();
  int32_t bucket = 0;
  float left = 0, right = 0;
};

BestBucket find_bucket(
    const float* stats, int64_t buckets, float gradients, float hessians,
    const LeafRegularization& regularization) {
  BestBucket best;
  float gradient = 0, hessian = 0;
  for (int64_t bucket = 0; bucket < buckets; ++bucket) {
    gradient += stats[2 * bucket];
    hessian += stats[2 * bucket + 1];
    auto left = leaf_weight(gradient, hessian, regularization);
    auto right = leaf_weight(gradients - gradient, hessians - hessian, regularization);
    if (is_gain_larger(left.gain + right.gain, best.gain))
      best = {left.gain + right.gain, static_cast<int32_t>(bucket), left.weight, right.weight};
  }
  return best;
}

/// The nodes of a feature that can be split, and how.
struct FeatureGains {
  std::vector<int32_t> nodes, thresholds;
  std::vector<float> gains, left, right;
};

FeatureGains find_gains(const Tensor& summary, const NodeRange& nodes, const SplitCosts& costs) {
  FeatureGains found;
  auto buckets = summary.shape()[1];
  if (buckets == 0) return found;
  for (auto node = nodes.first; node < nodes.last; ++node) {
    const auto* stats = summary.data<float>() + int64_t{node} * buckets * 2;
    float gradients = 0, hessians = 0;
    for (int64_t bucket = 0; bucket < buckets; ++bucket) {
      gradients += stats[2 * bucket];
      hessians += stats[2 * bucket + 1];
    }
    if (hessians < costs.min_node_weight) continue;
    auto own = leaf_weight(gradients, hessians, costs.regularization).gain;
    auto best = find_bucket(stats, buckets, gradients, hessians, costs.regularization);
    found.nodes.push_back(node);
    found.thresholds.push_back(best.bucket);
    found.gains.push_back(best.gain - own - costs.tree_complexity);
    found.left.push_back(best.left);
    found.right.push_back(best.right);
  }
  return found;
}

Status calculate_gains(Launch& launch, int64_t max_splits) {
  auto features = launch.input_count() - 5;
  auto costs = split_costs(launch, features + 1);
  if (!costs) return costs.status();
  const auto& shape = launch.input(1).shape();
  for (int i = 1; i <= features; ++i) {
    auto status = need_rank(launch.input(i), 3, "stats_summary_list");
    if (!status.ok()) return status;
    if (launch.input(i).shape() != shape || shape[2] != 2 || shape[0] != max_splits)
      return invalid_argument(
          "all of stats_summary_list must have one shape, [" + std::to_string(max_splits) +
          ", buckets, 2], but there are " + shape.to_string() + " and " +
          launch.input(i).shape().to_string());
  }
  auto nodes = node_range(launch, shape[0]);
  if (!nodes) return nodes.status();
  for (int i = 0; i < features; ++i) {
    auto found = find_gains(launch.input(i + 1), *nodes, *costs);
    auto column = Shape{static_cast<int64_t>(found.nodes.size()), 1};
    auto status = set_values(launch, i, found.nodes);
    if (status.ok()) status = set_values(launch, features + i, found.gains);
    if (status.ok()) status = set_values(launch, 2 * features + i, found.thresholds);
    if (status.ok()) status = set_values(launch, 3 * features + i, column, found.left);
    if (status.ok()) status = set_values(launch, 4 * features + i, column, found.right);
    if (!status.ok()) return status;
  }
  return {};
}

Result<Kernel> make_gains(const Node& node) {
  auto max_splits = node.attr<int64_t>("max_splits");
  return Kernel{.compute = [=](Launch& launch) { return calculate_gains(launch, max_splits); }};
}

}  // namespace

Result<SplitCosts> split_costs(const Launch& launch, int first) {
  float values[4];
  const char* names[] = {"l1", "l2", "tree_complexity", "min_node_weight"};
  for (int i = 0; i < 4; ++i) {
    auto value = scalar_value<float>(launch.input(first + i), names[i]);
    if (!value) return value.status();
    values[i] = *value;
  }
  return SplitCosts{{values[0], values[1]}, values[2], values[3]};
}

Result<NodeRange> node_range(const Launch& launch, int64_t count) {
  auto values = values_of<int32_t>(launch.input(0), 1, "node_id_range");
  if (!values) return values.status();
  if (values->size() != 2)
    return invalid_argument(
        "node_id_range must have 2 elements, not " + std::to_string(values->size()));
  NodeRange range{(*values)[0], (*values)[1]};
  if (range.first >= range.last || (range.first >= 0 && range.last <= count)) return range;
  return invalid_argument(
      "node_id_range [" + std::to_string(range.first) + ", " + std::to_string(range.last) +
      ") is not within the " + std::to_string(count) + " nodes of the summary");
}

Status set_splits(Launch& launch, const std::vector<NodeSplit>& splits, int64_t logits) {
  std::vector<int32_t> nodes, dimensions, thresholds;
  std::vector<float> gains, left, right;
  std::vector<std::string> types;
  for (const auto& [node, best, gain] : splits) {
    nodes.push_back(node);
    gains.push_back(gain);
    dimensions.push_back(best.dimension);
    thresholds.push_back(best.bucket);
    left.insert(left.end(), best.left.begin(), best.left.end());
    right.insert(right.end(), best.right.begin(), best.right.end());
    types.push_back(best.type);
  }
  auto contributions = Shape{static_cast<int64_t>(splits.size()), logits};
  auto status = set_values(launch, 0, nodes);
  if (status.ok()) status = set_values(launch, 1, gains);
  if (status.ok()) status = set_values(launch, 2, dimensions);
  if (status.ok()) status = set_values(launch, 3, thresholds);
  if (status.ok()) status = set_values(launch, 4, contributions, left);
  if (status.ok()) status = set_values(launch, 5, contributions, right);
  return status.ok() ? set_values(launch, 6, types) : status;
}

void add_boosted_trees_split_kernels(KernelCatalog& catalog) {
  catalog.add("BoostedTreesCalculateBestGainsPerFeature", make_gains);
  add_boosted_trees_feature_split_kernels(catalog);
}

}  // namespace troupe::cpu
