#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/learning/boosted_trees_splits.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

constexpr const char* default_left = "INEQUALITY_DEFAULT_LEFT";
constexpr const char* default_right = "INEQUALITY_DEFAULT_RIGHT";
constexpr const char* equality = "EQUALITY_DEFAULT_RIGHT";

/// Sums of gradients, and behind them of hessians.
using Stats = std::vector<float>;

Stats plus(Stats a, std::span<const float> b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
Stats minus(Stats a, std::span<const float> b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

/// A summary of the examples of some nodes, and how their splits are found.
class FeatureSummary {
 public:
  FeatureSummary(const Tensor& summary, size_t logits, const SplitCosts& costs)
      : data_(summary.data<float>()),
        dimensions_(static_cast<int32_t>(summary.shape()[1])),
        buckets_(static_cast<int32_t>(summary.shape()[2] - 1)),
        count_(static_cast<size_t>(summary.shape()[3])),
        logits_(logits),
        costs_(costs) {}

  bool has_buckets() const { return dimensions_ > 0; }

  /// Of all examples of the node, which each dimension has.
  Stats total(int32_t node, int32_t dimension) const {
    Stats sum(count_);
    for (int32_t bucket = 0; bucket <= buckets_; ++bucket)
      sum = plus(std::move(sum), at(node, dimension, bucket));
    return sum;
  }
  bool is_heavy(const Stats& total) const {
    float squares = 0;
    for (auto hessian : std::span(total).subspan(logits_)) squares += hessian * hessian;
    return !(std::sqrt(squares) < costs_.min_node_weight);
  }
  LeafWeights weights(const Stats& stats) const {
    auto all = std::span(stats);
    return leaf_weights(all.first(logits_), all.subspan(logits_), costs_.regularization);
  }

  BestSplit find_inequality(int32_t node) const {
    BestSplit best;
    for (int32_t dimension = 0; dimension < dimensions_; ++dimension) {
      auto all = total(node, dimension);
      auto missing = at(node, dimension, buckets_);
      Stats left(count_);
      for (int32_t bucket = 0; bucket < buckets_; ++bucket) {
        left = plus(std::move(left), at(node, dimension, bucket));
        auto with_missing = plus(left, missing);
        offer(best, with_missing, minus(all, with_missing), {bucket, dimension, default_left});
        offer(best, left, minus(all, left), {bucket, dimension, default_right});
      }
    }
    return best;
  }
  BestSplit find_equality(int32_t node, const Stats& all) const {
    BestSplit best;
    for (int32_t dimension = 0; dimension < dimensions_; ++dimension)
      for (int32_t bucket = 0; bucket < buckets_; ++bucket) {
        auto values = at(node, dimension, bucket);
        Stats left(values.begin(), values.end());
        offer(best, left, minus(all, left), {bucket, dimension, equality});
      }
    return best;
  }

 private:
  struct Place {
    int32_t bucket, dimension;
    const char* type;
  };

  std::span<const float> at(int32_t node, int32_t dimension, int32_t bucket) const {
    auto row = (int64_t{node} * dimensions_ + dimension) * (int64_t{buckets_} + 1) + bucket;
    return {data_ + static_cast<size_t>(row) * count_, count_};
  }
  void offer(BestSplit& best, const Stats& left, const Stats& right, const Place& place) const {
    auto a = weights(left), b = weights(right);
    if (!is_gain_larger(a.gain + b.gain, best.gain)) return;
    best = {a.gain + b.gain, place.bucket,         place.dimension,
            place.type,      std::move(a.weights), std::move(b.weights)};
  }

  const float* data_;
  int32_t dimensions_, buckets_;
  size_t count_, logits_;
  const SplitCosts& costs_;
};

/// InvalidArgument unless the last size is that of as many gradients as there are logits, and of
/// hessians that are the diagonal of a matrix or all of it.
Status check_summary(const Tensor& summary, int64_t logits, const SplitCosts& costs) {
  auto status = need_rank(summary, 4, "stats_summary");
  if (!status.ok()) return status;
  auto hessians = summary.shape()[3] - logits;
  if (hessians <= 0 || (hessians != logits && hessians / logits != logits) ||
      (hessians != logits && hessians % logits != 0))
    return invalid_argument(
        "stats_summary must have hessians for " + std::to_string(logits) +
        " logits, or for each pair of them, but has the shape " + summary.shape().to_string());
  constexpr int64_t size_max = std::numeric_limits<int32_t>::max();
  if (summary.shape()[2] == 0 || summary.shape()[2] > size_max || summary.shape()[1] > size_max)
    return invalid_argument("stats_summary has no buckets, or too many");
  auto [l1, l2] = costs.regularization;
  if (!(l1 >= 0) || !(l2 >= 0)) return invalid_argument("l1 and l2 should be >= 0");
  if (logits > 1 && l1 != 0)
    return invalid_argument("l1 != 0 is not yet supported for multi-class regularization");
  return {};
}

Status calculate_split(Launch& launch, int64_t logits, bool is_equality) {
  auto costs = split_costs(launch, 2);
  if (!costs) return costs.status();
  auto status = check_summary(launch.input(1), logits, *costs);
  if (!status.ok()) return status;
  auto nodes = node_range(launch, launch.input(1).shape()[0]);
  if (!nodes) return nodes.status();
  FeatureSummary summary(launch.input(1), static_cast<size_t>(logits), *costs);
  std::vector<NodeSplit> splits;
  for (auto node = nodes->first; node < nodes->last && summary.has_buckets(); ++node) {
    auto total = summary.total(node, 0);
    if (!summary.is_heavy(total)) continue;
    auto best = is_equality ? summary.find_equality(node, total) : summary.find_inequality(node);
    if (!best.is_found()) continue;
    auto gain = best.gain - summary.weights(total).gain - costs->tree_complexity;
    splits.push_back({node, std::move(best), gain});
  }
  return set_splits(launch, splits, logits);
}

Result<Kernel> make_split(const Node& node) {
  auto logits = node.attr<int64_t>("logits_dimension");
  auto is_equality = node.attr<std::string>("split_type") == "equality";
  return Kernel{
      .compute = [=](Launch& launch) { return calculate_split(launch, logits, is_equality); }};
}

/// The gradient and the hessian of one logit.
struct Pair {
  float gradient = 0, hessian = 0;
};

/// What a sparse summary says of a node: by dimension and bucket.
using SparseNode = std::map<int32_t, std::map<int32_t, Pair>>;

void offer(BestSplit& best, Pair left, Pair right, const LeafRegularization& by, BestSplit place) {
  auto a = leaf_weight(left.gradient, left.hessian, by);
  auto b = leaf_weight(right.gradient, right.hessian, by);
  if (!is_gain_larger(a.gain + b.gain, best.gain)) return;
  best = std::move(place);
  best.gain = a.gain + b.gain;
  best.left = {a.weight};
  best.right = {b.weight};
}

/// Of the examples of the first dimension, which are those of all.
Pair total_of(const SparseNode& node) {
  Pair total;
  for (const auto& [bucket, stats] : node.begin()->second) {
    total.gradient += stats.gradient;
    total.hessian += stats.hessian;
  }
  return total;
}

BestSplit find_sparse_split(
    const SparseNode& node, Pair total, int32_t missing_bucket, const LeafRegularization& by) {
  BestSplit best;
  for (const auto& [dimension, buckets] : node) {
    auto found = buckets.find(missing_bucket);
    auto missing = found == buckets.end() ? Pair() : found->second;
    Pair left;
    for (const auto& [bucket, stats] : buckets) {
      if (bucket == missing_bucket) break;
      left = {left.gradient + stats.gradient, left.hessian + stats.hessian};
      Pair right{total.gradient - left.gradient, total.hessian - left.hessian};
      offer(
          best, left, right, by, {.bucket = bucket, .dimension = dimension, .type = default_right});
      Pair with_missing{left.gradient + missing.gradient, left.hessian + missing.hessian};
      Pair without{
          total.gradient - missing.gradient - left.gradient,
          total.hessian - missing.hessian - left.hessian};
      offer(
          best, with_missing, without, by,
          {.bucket = bucket, .dimension = dimension, .type = default_left});
    }
  }
  return best;
}

/// The sparse summary of inputs 1 to 3.
struct SparseSummary {
  std::span<const int32_t> indices;  // by fours: node, dimension, bucket, position
  std::span<const float> values;
  int32_t missing_bucket = 0;
  int32_t stats = 0;
};

Result<SparseSummary> sparse_summary(const Launch& launch) {
  auto indices = values_of<int32_t>(launch.input(1), 2, "stats_summary_indices");
  if (!indices) return indices.status();
  auto values = values_of<float>(launch.input(2), 1, "stats_summary_values");
  if (!values) return values.status();
  auto shape = values_of<int32_t>(launch.input(3), 1, "stats_summary_shape");
  if (!shape) return shape.status();
  if (shape->size() != 4 || launch.input(1).shape()[1] != 4 ||
      launch.input(1).shape()[0] != static_cast<int64_t>(values->size()))
    return invalid_argument(
        "stats_summary_shape must have 4 elements, and stats_summary_indices 4 columns and as many "
        "rows as stats_summary_values has elements");
  if ((*shape)[2] < 1 || (*shape)[3] < 2)
    return invalid_argument("stats_summary_shape must have a bucket, a gradient and a hessian");
  return SparseSummary{*indices, *values, (*shape)[2] - 1, (*shape)[3]};
}

void add_sparse_split(
    std::vector<NodeSplit>& splits, int32_t id, const SparseNode& node,
    const SparseSummary& summary, const SplitCosts& costs) {
  if (node.empty()) return;
  auto total = total_of(node);
  if (total.hessian < costs.min_node_weight) return;
  auto best = find_sparse_split(node, total, summary.missing_bucket, costs.regularization);
  if (!best.is_found()) return;
  auto own = leaf_weight(total.gradient, total.hessian, costs.regularization).gain;
  auto gain = best.gain - own - costs.tree_complexity;
  splits.push_back({id, std::move(best), gain});
}

Status calculate_sparse_split(Launch& launch) {
  auto costs = split_costs(launch, 4);
  if (!costs) return costs.status();
  auto nodes = node_range(launch, std::numeric_limits<int32_t>::max());
  if (!nodes) return nodes.status();
  auto summary = sparse_summary(launch);
  if (!summary) return summary.status();
  std::vector<NodeSplit> splits;
  SparseNode node;
  int32_t last = -1;
  for (size_t i = 0; i < summary->values.size(); ++i) {
    const auto* index = &summary->indices[4 * i];
    if (index[0] != last) {
      add_sparse_split(splits, last, node, *summary, *costs);
      node.clear();
    }
    last = index[0];
    if (last < nodes->first || last >= nodes->last)
      return invalid_argument(
          "node_id = " + std::to_string(last) + " which is not in [" +
          std::to_string(nodes->first) + ", " + std::to_string(nodes->last) + ")");
    if (index[3] < 0 || index[3] >= summary->stats)
      return invalid_argument(
          "stats_summary_indices has " + std::to_string(index[3]) + " where a position below " +
          std::to_string(summary->stats) + " is needed");
    auto& stats = node[index[1]][index[2]];
    if (index[3] == 0) stats.gradient = summary->values[i];
    if (index[3] == 1) stats.hessian = summary->values[i];
  }
  add_sparse_split(splits, last, node, *summary, *costs);
  return set_splits(launch, splits, 1);
}

}  // namespace

void add_boosted_trees_feature_split_kernels(KernelCatalog& catalog) {
  catalog.add("BoostedTreesCalculateBestFeatureSplit", make_split);
  catalog.add_compute("BoostedTreesSparseCalculateBestFeatureSplit", calculate_sparse_split);
}

}  // namespace troupe::cpu
