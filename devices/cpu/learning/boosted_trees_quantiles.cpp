#include <algorithm>

#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/resources/learning/quantile_stream_resource.hpp"

namespace troupe::cpu {
namespace {

using Streams = QuantileStreamResource::Streams;

Status check_epsilon(float epsilon) {
  if (epsilon > 0 && epsilon < 1) return {};
  return invalid_argument("epsilon must lie between 0 and 1, but is " + std::to_string(epsilon));
}

/// A kernel that does something with the streams whose handle is input 0.
template <Status (*use)(Launch&, Streams&)>
Status use_streams(Launch& launch) {
  auto resource = resource_input<QuantileStreamResource>(launch, 0);
  if (!resource) return resource.status();
  auto status = (*resource)->use([&](Streams& streams) { return use(launch, streams); });
  if (status.ok()) note_change(launch, 0);
  return status;
}

Status are_created(Launch& launch) {
  auto resource = resource_input<QuantileStreamResource>(launch, 0);
  if (!resource) return resource.status();
  return set_scalar(launch, 0, (*resource)->is_created());
}

Status create_streams(Launch& launch, int64_t max_elements) {
  auto resource = resource_input<QuantileStreamResource>(launch, 0);
  if (!resource) return resource.status();
  auto epsilon = scalar_value<float>(launch.input(1), "epsilon");
  if (!epsilon) return epsilon.status();
  auto count = scalar_value<int64_t>(launch.input(2), "num_streams");
  if (!count) return count.status();
  if (auto status = check_epsilon(*epsilon); !status.ok()) return status;
  if (*count < 0) return invalid_argument("Num_streams input cannot be a negative integer");
  constexpr int64_t count_max = int64_t{1} << 20;
  if (*count > count_max)
    return resource_exhausted("there are at most 2^20 streams, not " + std::to_string(*count));
  (*resource)->create({.epsilon = *epsilon, .max_elements = max_elements, .stream_count = *count});
  note_change(launch, 0);
  return (*resource)->is_dropped() ? gone(launch.input(0).value<ResourceHandle>()) : Status();
}

Result<Kernel> make_create(const Node& node) {
  auto max_elements = node.attr<int64_t>("max_elements");
  if (max_elements <= 0) return invalid_argument("max_elements must be positive");
  return Kernel{.compute = [=](Launch& launch) { return create_streams(launch, max_elements); }};
}

Result<Tensor> to_tensor(const Launch& launch, const QuantileSummary& summary) {
  const auto& entries = summary.entries();
  auto rows = launch.allocate(DType::float32, {static_cast<int64_t>(entries.size()), 4});
  if (!rows) return rows;
  auto* to = rows->mutable_data<float>();
  for (const auto& entry : entries)
    for (auto value : {entry.value, entry.weight, entry.min_rank, entry.max_rank}) *to++ = value;
  return rows;
}

Result<QuantileSummary> to_summary(const Tensor& rows) {
  auto values = values_of<float>(rows, 2, "summaries");
  if (!values) return values.status();
  if (rows.shape()[1] != 4)
    return invalid_argument(
        "summaries must have 4 columns, but one has the shape " + rows.shape().to_string());
  std::vector<QuantileEntry> entries;
  for (size_t i = 0; i < values->size(); i += 4)
    entries.push_back({(*values)[i], (*values)[i + 1], (*values)[i + 2], (*values)[i + 3]});
  return QuantileSummary(std::move(entries));
}

/// Of one feature, whose values are as many as the weights, or which all have the same one.
QuantileSummary summarize(
    std::span<const float> values, std::span<const float> weights, float epsilon) {
  QuantileStream stream(epsilon, static_cast<int64_t>(values.size()) + 1);
  for (size_t i = 0; i < values.size(); ++i)
    stream.add(values[i], weights.size() > 1 ? weights[i] : weights[0]);
  return stream.finish();
}

Status make_summaries(Launch& launch) {
  auto features = launch.input_count() - 2;
  if (features == 0) return invalid_argument("Got empty feature list");
  auto weights = values_of<float>(launch.input(features), 1, "example_weights");
  if (!weights) return weights.status();
  auto epsilon = scalar_value<float>(launch.input(features + 1), "epsilon");
  if (!epsilon) return epsilon.status();
  if (auto status = check_epsilon(*epsilon); !status.ok()) return status;
  auto examples = launch.input(0).elements();
  for (int i = 0; i < features; ++i) {
    if (auto status = need_rank(launch.input(i), 1, "float_values"); !status.ok()) return status;
    if (launch.input(i).elements() != examples)
      return invalid_argument("all features must have as many values");
  }
  auto weight_count = static_cast<int64_t>(weights->size());
  if (weight_count != 1 && weight_count != examples)
    return invalid_argument("Weights should be a single value or same size as features.");
  return each_element(features, [&](int64_t i) -> Status {
    auto values = launch.input(static_cast<int>(i)).values<float>();
    auto rows = to_tensor(launch, summarize(values, *weights, *epsilon));
    if (rows) launch.set(static_cast<int>(i), *std::move(rows));
    return rows.status();
  });
}

Status check_feature_count(size_t given, Streams& streams) {
  if (given == streams.features().size()) return {};
  return invalid_argument(
      "there are " + std::to_string(streams.features().size()) + " streams, not " +
      std::to_string(given));
}

Status flush_summaries(Launch& launch, Streams& streams) {
  auto status = check_feature_count(launch.outputs().size(), streams);
  if (!status.ok()) return status;
  int output = 0;
  for (auto& feature : streams.features()) {
    auto rows = to_tensor(launch, feature.stream.finish());
    if (!rows) return rows.status();
    launch.set(output++, *std::move(rows));
  }
  return {};
}

Status add_summaries(Launch& launch, Streams& streams) {
  auto count = static_cast<size_t>(launch.input_count() - 1);
  auto status = check_feature_count(count, streams);
  if (!status.ok()) return status;
  std::vector<QuantileSummary> summaries;
  for (size_t i = 0; i < count; ++i) {
    auto summary = to_summary(launch.input(static_cast<int>(i) + 1));
    if (!summary) return summary.status();
    summaries.push_back(*std::move(summary));
  }
  for (size_t i = 0; i < count; ++i) streams.features()[i].stream.add(std::move(summaries[i]));
  return {};
}

Status set_boundaries(Launch& launch, Streams& streams) {
  auto count = static_cast<size_t>(launch.input_count() - 1);
  auto status = check_feature_count(count, streams);
  std::vector<std::vector<float>> boundaries;
  for (size_t i = 0; i < count && status.ok(); ++i) {
    auto values = values_of<float>(launch.input(static_cast<int>(i) + 1), 1, "bucket_boundaries");
    if (!values) return values.status();
    boundaries.emplace_back(values->begin(), values->end());
  }
  for (size_t i = 0; i < count && status.ok(); ++i)
    streams.features()[i].boundaries = std::move(boundaries[i]);
  return status;
}

Result<std::vector<float>> boundaries_of(
    const QuantileSummary& summary, int64_t buckets, bool are_quantiles) {
  if (!are_quantiles) {
    auto boundaries = summary.boundaries(buckets);
    boundaries.erase(std::unique(boundaries.begin(), boundaries.end()), boundaries.end());
    return boundaries;
  }
  constexpr int64_t buckets_max = int64_t{1} << 24;
  if (buckets < 1 || buckets > buckets_max)
    return invalid_argument("there cannot be " + std::to_string(buckets) + " quantiles");
  auto quantiles = summary.quantiles(buckets - 1);
  if (static_cast<int64_t>(quantiles.size()) != buckets)
    return invalid_argument(
        "there are " + std::to_string(quantiles.size()) + " quantiles, not " +
        std::to_string(buckets));
  return quantiles;
}

Status flush(Launch& launch, Streams& streams, bool are_quantiles) {
  auto buckets = scalar_value<int64_t>(launch.input(1), "num_buckets");
  if (!buckets) return buckets.status();
  for (auto& feature : streams.features()) {
    auto boundaries = boundaries_of(feature.stream.finish(), *buckets, are_quantiles);
    if (!boundaries) return boundaries.status();
    feature.boundaries = *std::move(boundaries);
  }
  streams.reset_streams();
  return {};
}

Status flush_boundaries(Launch& launch, Streams& streams) { return flush(launch, streams, false); }
Status flush_quantiles(Launch& launch, Streams& streams) { return flush(launch, streams, true); }

Result<Kernel> make_flush(const Node& node) {
  if (node.attr<bool>("generate_quantiles")) return Kernel{.compute = use_streams<flush_quantiles>};
  return Kernel{.compute = use_streams<flush_boundaries>};
}

Status get_boundaries(Launch& launch, Streams& streams) {
  auto status = check_feature_count(launch.outputs().size(), streams);
  int output = 0;
  for (const auto& feature : streams.features())
    if (status.ok()) status = set_values(launch, output++, feature.boundaries);
  return status;
}

Status bucketize_feature(Launch& launch, int feature, const Tensor& boundaries) {
  const auto& values = launch.input(feature);
  auto buckets = launch.allocate(DType::int32, values.shape());
  if (!buckets) return buckets.status();
  auto limits = boundaries.values<float>();
  auto* to = buckets->mutable_data<int32_t>();
  for (auto value : values.values<float>()) {
    auto found = std::lower_bound(limits.begin(), limits.end(), value);
    if (found == limits.end() && !limits.empty()) --found;
    *to++ = static_cast<int32_t>(found - limits.begin());
  }
  launch.set(feature, *std::move(buckets));
  return {};
}

Status bucketize(Launch& launch) {
  auto features = launch.input_count() / 2;
  for (int i = 0; i < 2 * features; ++i) {
    auto status =
        need_rank(launch.input(i), 1, i < features ? "float_values" : "bucket_boundaries");
    if (!status.ok()) return status;
    if (i < features && launch.input(i).elements() != launch.input(0).elements())
      return invalid_argument("all features must have as many values");
  }
  return each_element(features, [&](int64_t i) {
    auto feature = static_cast<int>(i);
    return bucketize_feature(launch, feature, launch.input(features + feature));
  });
}

}  // namespace

void add_boosted_trees_quantile_kernels(KernelCatalog& catalog) {
  catalog.add("BoostedTreesCreateQuantileStreamResource", make_create);
  catalog.add_compute("IsBoostedTreesQuantileStreamResourceInitialized", are_created);
  catalog.add_compute("BoostedTreesMakeQuantileSummaries", make_summaries);
  catalog.add_compute("BoostedTreesFlushQuantileSummaries", use_streams<flush_summaries>);
  catalog.add_compute("BoostedTreesQuantileStreamResourceAddSummaries", use_streams<add_summaries>);
  catalog.add_compute("BoostedTreesQuantileStreamResourceDeserialize", use_streams<set_boundaries>);
  catalog.add("BoostedTreesQuantileStreamResourceFlush", make_flush);
  catalog.add_compute(
      "BoostedTreesQuantileStreamResourceGetBucketBoundaries", use_streams<get_boundaries>);
  catalog.add_compute("BoostedTreesBucketize", bucketize);
}

}  // namespace troupe::cpu
