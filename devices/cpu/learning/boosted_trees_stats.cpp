#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/device.hpp"

namespace troupe::cpu {
namespace {

/// Where the sums of a summary go.
struct Limits {
  int64_t max_splits = 0;
  int64_t num_buckets = 0;
};

/// What each example adds to the sums of its node: its gradients and hessians, row by row.
struct ExampleStats {
  std::span<const int32_t> nodes;
  std::span<const float> gradients, hessians;
  int64_t gradient_count = 0, hessian_count = 0;  // of an example

  int64_t examples() const { return static_cast<int64_t>(nodes.size()); }
  int64_t count() const { return gradient_count + hessian_count; }
  float at(int64_t example, int64_t stat) const {
    if (stat < gradient_count)
      return gradients[static_cast<size_t>(example * gradient_count + stat)];
    return hessians[static_cast<size_t>(example * hessian_count + stat - gradient_count)];
  }
};

/// Inputs 0 to 2.
Result<ExampleStats> example_stats(const Launch& launch) {
  ExampleStats stats;
  auto nodes = values_of<int32_t>(launch.input(0), 1, "node_ids");
  if (!nodes) return nodes.status();
  stats.nodes = *nodes;
  for (auto [index, name] : {std::pair(1, "gradients"), std::pair(2, "hessians")}) {
    const auto& input = launch.input(index);
    auto values = values_of<float>(input, 2, name);
    if (!values) return values.status();
    if (input.shape()[0] != stats.examples())
      return invalid_argument(
          "node_ids size should match 0th dim of " + std::string(name) + ". node ids size: " +
          std::to_string(stats.examples()) + ", dim0: " + std::to_string(input.shape()[0]));
    (index == 1 ? stats.gradients : stats.hessians) = *values;
    (index == 1 ? stats.gradient_count : stats.hessian_count) = input.shape()[1];
  }
  return stats;
}

Status check_below(int64_t value, int64_t limit, const char* what) {
  if (value >= 0 && value < limit) return {};
  return invalid_argument(
      std::string(what) + " " + std::to_string(value) + " is not in [0, " + std::to_string(limit) +
      ")");
}

/// Sums in double, of which the output has the nearest floats.
class Sums {
 public:
  static Result<Sums> make(const Launch& launch, std::initializer_list<int64_t> sizes) {
    auto shape = Shape::make(std::span(sizes.begin(), sizes.size()));
    if (!shape) return shape.status();
    auto sums = launch.allocate(DType::float64, *shape);
    if (!sums) return sums.status();
    std::fill_n(sums->mutable_data<double>(), sums->elements(), 0.0);
    return Sums(*std::move(sums));
  }

  double* data() { return sums_.mutable_data<double>(); }
  Status set(Launch& launch) const {
    auto output = launch.allocate(DType::float32, sums_.shape());
    if (!output) return output.status();
    std::ranges::copy(sums_.values<double>(), output->mutable_data<float>());
    launch.set(0, *std::move(output));
    return {};
  }

 private:
  explicit Sums(Tensor sums) : sums_(std::move(sums)) {}

  Tensor sums_;
};

Status make_summary(Launch& launch, const Limits& limits) {
  auto stats = example_stats(launch);
  if (!stats) return stats.status();
  if (stats->gradient_count != stats->hessian_count)
    return invalid_argument("gradients and hessians must have the same shape");
  if (stats->examples() > 0 && stats->gradient_count == 0)
    return invalid_argument("gradients and hessians must have a column");
  auto features = int64_t{launch.input_count()} - 3;
  auto sums = Sums::make(launch, {features, limits.max_splits, limits.num_buckets, 2});
  if (!sums) return sums.status();
  for (int64_t feature = 0; feature < features; ++feature) {
    auto name = "feature " + std::to_string(feature);
    auto buckets = values_of<int32_t>(launch.input(static_cast<int>(3 + feature)), 1, name);
    if (!buckets) return buckets.status();
    if (buckets->size() != stats->nodes.size())
      return invalid_argument(
          name + " should have same size as node_ids, got " + std::to_string(buckets->size()) +
          " and " + std::to_string(stats->nodes.size()));
    for (int64_t i = 0; i < stats->examples(); ++i) {
      int64_t node = stats->nodes[static_cast<size_t>(i)];
      int64_t bucket = (*buckets)[static_cast<size_t>(i)];
      auto status = check_below(node, limits.max_splits, "node");
      if (status.ok()) status = check_below(bucket, limits.num_buckets, "bucket");
      if (!status.ok()) return status;
      auto row = (feature * limits.max_splits + node) * limits.num_buckets + bucket;
      sums->data()[2 * row] += stats->at(i, 0);
      sums->data()[2 * row + 1] += stats->at(i, stats->gradient_count);
    }
  }
  return sums->set(launch);
}

Status aggregate(Launch& launch, const Limits& limits) {
  auto stats = example_stats(launch);
  if (!stats) return stats.status();
  const auto& feature = launch.input(3);
  auto buckets = values_of<int32_t>(feature, 2, "feature");
  if (!buckets) return buckets.status();
  if (feature.shape()[0] != stats->examples())
    return invalid_argument("feature must have a row for each of the node_ids");
  auto dimensions = feature.shape()[1], missing = limits.num_buckets;
  if (missing > Shape::max_elements) return resource_exhausted("there are too many buckets");
  auto sums = Sums::make(launch, {limits.max_splits, dimensions, missing + 1, stats->count()});
  if (!sums) return sums.status();
  for (int64_t i = 0; i < stats->examples(); ++i) {
    int64_t node = stats->nodes[static_cast<size_t>(i)];
    auto status = check_below(node, limits.max_splits, "node");
    for (int64_t dimension = 0; dimension < dimensions && status.ok(); ++dimension) {
      int64_t bucket = (*buckets)[static_cast<size_t>(i * dimensions + dimension)];
      if (bucket == -1) bucket = missing;
      status = check_below(bucket, missing + 1, "bucket");
      if (!status.ok()) break;
      auto row = (node * dimensions + dimension) * (missing + 1) + bucket;
      for (int64_t stat = 0; stat < stats->count(); ++stat)
        sums->data()[row * stats->count() + stat] += stats->at(i, stat);
    }
    if (!status.ok()) return status;
  }
  return sums->set(launch);
}

/// A sparse feature: the bucket of each example and dimension that it has one for, in order.
struct SparseFeature {
  std::span<const int32_t> indices;  // pairs
  std::span<const int32_t> buckets;
  int64_t dimensions = 0;

  int64_t count() const { return static_cast<int64_t>(buckets.size()); }
  int64_t example(int64_t entry) const { return indices[static_cast<size_t>(2 * entry)]; }
  int64_t dimension(int64_t entry) const { return indices[static_cast<size_t>(2 * entry + 1)]; }
};

/// Inputs 3 to 5. InvalidArgument unless they fit that many examples.
Result<SparseFeature> sparse_feature(const Launch& launch, int64_t examples, int64_t num_buckets) {
  SparseFeature feature;
  auto indices = values_of<int32_t>(launch.input(3), 2, "feature_indices");
  if (!indices) return indices.status();
  auto buckets = values_of<int32_t>(launch.input(4), 1, "feature_values");
  if (!buckets) return buckets.status();
  auto shape = values_of<int32_t>(launch.input(5), 1, "feature_shape");
  if (!shape) return shape.status();
  if (launch.input(3).shape()[1] != 2 || shape->size() != 2 ||
      launch.input(3).shape()[0] != static_cast<int64_t>(buckets->size()))
    return invalid_argument(
        "feature_indices must have two columns and as many rows as feature_values has elements, "
        "and feature_shape two elements");
  feature = {*indices, *buckets, (*shape)[1]};
  if (feature.dimensions < 0) return invalid_argument("feature_shape must not be negative");
  // All missing values count, so that as many sums may be as there are dimensions of examples.
  constexpr int64_t entries_max = int64_t{1} << 24;
  if (feature.dimensions > 0 && examples > entries_max / feature.dimensions)
    return resource_exhausted("a sparse feature has more than 2^24 values, missing ones included");
  int64_t last_example = 0, last_dimension = -1;
  for (int64_t i = 0; i < feature.count(); ++i) {
    auto example = feature.example(i), dimension = feature.dimension(i);
    auto status = check_below(example, examples, "feature_indices: example");
    if (status.ok()) status = check_below(dimension, feature.dimensions, "dimension");
    if (status.ok())
      status = check_below(feature.buckets[static_cast<size_t>(i)], num_buckets + 1, "bucket");
    if (!status.ok()) return status;
    if (std::pair(example, dimension) <= std::pair(last_example, last_dimension))
      return invalid_argument("feature_indices should be increasing");
    std::tie(last_example, last_dimension) = std::pair(example, dimension);
  }
  return feature;
}

/// The sums of each node, dimension and bucket.
using SparseSums = std::map<std::tuple<int32_t, int64_t, int64_t>, std::vector<float>>;

SparseSums sum_sparse(
    const ExampleStats& stats, const SparseFeature& feature, int64_t missing_bucket) {
  SparseSums sums;
  int64_t entry = 0;
  for (int64_t i = 0; i < stats.examples(); ++i)
    for (int64_t dimension = 0; dimension < feature.dimensions; ++dimension) {
      auto has_value = entry < feature.count() && feature.example(entry) == i &&
                       feature.dimension(entry) == dimension;
      int64_t bucket = has_value ? feature.buckets[static_cast<size_t>(entry++)] : missing_bucket;
      auto& sum = sums[{stats.nodes[static_cast<size_t>(i)], dimension, bucket}];
      sum.resize(static_cast<size_t>(stats.count()));
      for (int64_t stat = 0; stat < stats.count(); ++stat)
        sum[static_cast<size_t>(stat)] += stats.at(i, stat);
    }
  return sums;
}

Status aggregate_sparse(Launch& launch, const Limits& limits) {
  auto stats = example_stats(launch);
  if (!stats) return stats.status();
  constexpr int64_t count_max = std::numeric_limits<int32_t>::max();
  if (limits.num_buckets >= count_max || limits.max_splits > count_max ||
      stats->count() > count_max)
    return invalid_argument("max_splits, num_buckets and columns must be below 2^31");
  for (auto node : stats->nodes)
    if (auto status = check_below(node, limits.max_splits + 1, "node"); !status.ok()) return status;
  if (stats->examples() == 0) return invalid_argument("there are no examples");
  auto feature = sparse_feature(launch, stats->examples(), limits.num_buckets);
  if (!feature) return feature.status();
  auto sums = sum_sparse(*stats, *feature, limits.num_buckets);
  std::vector<int32_t> indices;
  std::vector<float> values;
  for (const auto& [place, sum] : sums)
    for (size_t stat = 0; stat < sum.size(); ++stat) {
      auto [node, dimension, bucket] = place;
      for (auto index : {int64_t{node}, dimension, bucket, static_cast<int64_t>(stat)})
        indices.push_back(static_cast<int32_t>(index));
      values.push_back(sum[stat]);
    }
  auto count = static_cast<int64_t>(values.size());
  auto status = set_values(launch, 0, Shape{count, 4}, indices);
  if (status.ok()) status = set_values(launch, 1, values);
  if (!status.ok()) return status;
  std::vector<int32_t> shape;
  for (auto size : {limits.max_splits, feature->dimensions, limits.num_buckets + 1, stats->count()})
    shape.push_back(static_cast<int32_t>(size));
  return set_values(launch, 2, shape);
}

template <Status (*compute)(Launch&, const Limits&)>
Result<Kernel> with_limits(const Node& node) {
  Limits limits{node.attr<int64_t>("max_splits"), node.attr<int64_t>("num_buckets")};
  return Kernel{.compute = [limits](Launch& launch) { return compute(launch, limits); }};
}

}  // namespace

void add_boosted_trees_stats_kernels(KernelCatalog& catalog) {
  catalog.add("BoostedTreesMakeStatsSummary", with_limits<make_summary>);
  catalog.add("BoostedTreesAggregateStats", with_limits<aggregate>);
  catalog.add("BoostedTreesSparseAggregateStats", with_limits<aggregate_sparse>);
}

}  // namespace troupe::cpu
