#include <functional>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/tensor_forest/inputs.hpp"
#include "troupe/devices/cpu/tensor_forest/messages.hpp"
#include "troupe/devices/resources/tensor_forest/forest_resources.hpp"

namespace troupe::cpu {
namespace {

/// The tree that input 1 describes.
Result<forest::Tree> described_tree(
    const Launch& launch, std::shared_ptr<const forest::Params> params) {
  if (auto status = need_rank(launch.input(1), 0, "Tree config"); !status.ok()) return status;
  auto model = parse_model(launch.input(1).value<std::string>());
  if (!model) return invalid_argument("Unable to parse tree config.");
  return forest::Tree::make(std::move(params), *std::move(model));
}

Result<forest::FertileSlots> described_stats(
    const Launch& launch, std::shared_ptr<const forest::Params> params) {
  if (auto status = need_rank(launch.input(1), 0, "Stats config"); !status.ok()) return status;
  auto stats = parse_fertile_stats(launch.input(1).value<std::string>());
  if (!stats) return invalid_argument("Unable to parse stats config.");
  return forest::FertileSlots::make(std::move(params), *stats);
}

/// Makes a value of the parameters of the node, or of those that the value has already.
template <class R, auto described>
Result<Kernel> make_create(const Node& node) {
  auto params = params_of(node);
  if (!params) return params.status();
  return Kernel{.compute = [params = *std::move(params)](Launch& launch) {
    auto resource = resource_input<R>(launch, 0);
    if (!resource) return resource.status();
    auto value = described(launch, params);
    if (!value) return value.status();
    (*resource)->create(*std::move(value));
    note_change(launch, 0);
    return (*resource)->is_dropped() ? gone(launch.input(0).value<ResourceHandle>()) : Status();
  }};
}

template <class R, auto described>
Status deserialize(Launch& launch) {
  auto resource = resource_input<R>(launch, 0);
  if (!resource) return resource.status();
  auto status = (*resource)->change([&](auto& held) {
    auto value = described(launch, held.shared_params());
    if (value) held = *std::move(value);
    return value ? Status() : value.status();
  });
  if (status.ok()) note_change(launch, 0);
  return status;
}

template <class R>
Status is_initialized(Launch& launch) {
  auto resource = resource_input<R>(launch, 0);
  if (!resource) return resource.status();
  return set_scalar(launch, 0, (*resource)->is_created());
}

Status serialize_tree(Launch& launch) {
  auto resource = resource_input<DecisionTreeResource>(launch, 0);
  if (!resource) return resource.status();
  return (*resource)->read(
      [&](const forest::Tree& tree) { return set_scalar(launch, 0, serialize(tree.model())); });
}

Status serialize_stats(Launch& launch) {
  auto resource = resource_input<FertileStatsResource>(launch, 0);
  if (!resource) return resource.status();
  return (*resource)->read([&](const forest::FertileSlots& slots) {
    return set_scalar(launch, 0, serialize(slots.store()));
  });
}

Status tree_size(Launch& launch) {
  auto resource = resource_input<DecisionTreeResource>(launch, 0);
  if (!resource) return resource.status();
  return (*resource)->read([&](const forest::Tree& tree) {
    return set_scalar(launch, 0, static_cast<int32_t>(tree.size()));
  });
}

Result<Kernel> make_usage_counts(const Node& node) {
  auto params = params_of(node);
  if (!params) return params.status();
  auto features = (*params)->num_features;
  if (features < 0) return invalid_argument("num_features must not be negative");
  return Kernel{.compute = [features](Launch& launch) -> Status {
    auto resource = resource_input<DecisionTreeResource>(launch, 0);
    if (!resource) return resource.status();
    auto counts = launch.allocate(DType::int32, {features});
    if (!counts) return counts.status();
    auto status = (*resource)->read([&](const forest::Tree& tree) {
      return tree.count_features({counts->mutable_data<int32_t>(), static_cast<size_t>(features)});
    });
    if (status.ok()) launch.set(0, *std::move(counts));
    return status;
  }};
}

Status reinterpret_strings(Launch& launch) {
  const auto& input = launch.input(0);
  auto numbers = launch.allocate(DType::float32, input.shape());
  if (!numbers) return numbers.status();
  auto strings = input.values<std::string>();
  auto* to = numbers->mutable_data<float>();
  parallel_ranges(input.elements(), 32, [&](int64_t begin, int64_t end) {
    // The standard library's hash, which TensorFlow takes, too.
    for (auto i = begin; i < end; ++i)
      to[i] = static_cast<float>(std::hash<std::string>()(strings[static_cast<size_t>(i)]));
  });
  launch.set(0, *std::move(numbers));
  return {};
}

}  // namespace

void add_forest_tree_kernels(KernelCatalog& catalog) {
  catalog.add_compute("TreeIsInitializedOp", is_initialized<DecisionTreeResource>);
  catalog.add("CreateTreeVariable", make_create<DecisionTreeResource, described_tree>);
  catalog.add_compute("TreeDeserialize", deserialize<DecisionTreeResource, described_tree>);
  catalog.add_compute("TreeSerialize", serialize_tree);
  catalog.add_compute("TreeSize", tree_size);
  catalog.add("FeatureUsageCounts", make_usage_counts);
  catalog.add_compute("ReinterpretStringToFloat", reinterpret_strings);
}

void add_forest_stats_kernels(KernelCatalog& catalog) {
  catalog.add_compute("FertileStatsIsInitializedOp", is_initialized<FertileStatsResource>);
  catalog.add("CreateFertileStatsVariable", make_create<FertileStatsResource, described_stats>);
  catalog.add_compute(
      "FertileStatsDeserialize", deserialize<FertileStatsResource, described_stats>);
  catalog.add_compute("FertileStatsSerialize", serialize_stats);
}

void add_tensor_forest_kernels(KernelCatalog& catalog) {
  add_forest_tree_kernels(catalog);
  add_forest_stats_kernels(catalog);
  add_forest_prediction_kernels(catalog);
  add_forest_training_kernels(catalog);
}

}  // namespace troupe::cpu
