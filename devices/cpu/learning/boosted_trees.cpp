#include "troupe/devices/cpu/learning/boosted_trees.hpp"

#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/learning/boosted_trees_messages.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/device.hpp"
#include "troupe/devices/resources/learning/tree_ensemble_resource.hpp"

namespace troupe::cpu {
namespace {

using Stamped = TreeEnsembleResource::Stamped;

/// The ensemble that inputs 1 and 2 describe.
Result<Stamped> described_ensemble(const Launch& launch) {
  auto stamp = scalar_value<int64_t>(launch.input(1), "stamp_token");
  if (!stamp) return stamp.status();
  if (auto status = need_rank(launch.input(2), 0, "tree_ensemble_serialized"); !status.ok())
    return status;
  auto ensemble = parse_ensemble(launch.input(2).value<std::string>());
  if (!ensemble) return invalid_argument("Unable to parse tree ensemble proto.");
  return Stamped{*std::move(ensemble), *stamp};
}

Status create_ensemble(Launch& launch) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  auto state = described_ensemble(launch);
  if (!state) return state.status();
  (*resource)->create(*std::move(state));
  note_change(launch, 0);
  return (*resource)->is_dropped() ? gone(launch.input(0).value<ResourceHandle>()) : Status();
}

Status deserialize_ensemble(Launch& launch) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  auto described = described_ensemble(launch);
  if (!described) return described.status();
  auto status = (*resource)->change([&](Stamped& state) {
    state = *std::move(described);
    return Status();
  });
  if (status.ok()) note_change(launch, 0);
  return status;
}

Status serialize(Launch& launch) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  return (*resource)->read([&](const Stamped& state) {
    auto status = set_scalar(launch, 0, state.stamp);
    return status.ok() ? set_scalar(launch, 1, serialize_ensemble(state.ensemble)) : status;
  });
}

Status is_initialized(Launch& launch) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  return set_scalar(launch, 0, (*resource)->is_created());
}

Status get_states(Launch& launch) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  return (*resource)->read([&](const Stamped& state) -> Status {
    const auto& ensemble = state.ensemble;
    auto status = ensemble.check_growable();
    if (!status.ok()) return status;
    auto trees = static_cast<int32_t>(ensemble.trees.size());
    auto is_growing = trees > 0 && !ensemble.tree_metadata.back().is_finalized;
    auto growing = ensemble.growing_metadata.value_or(GrowingMetadata());
    if (status = set_scalar(launch, 0, state.stamp); !status.ok()) return status;
    if (status = set_scalar(launch, 1, trees); !status.ok()) return status;
    if (status = set_scalar(launch, 2, trees - (is_growing ? 1 : 0)); !status.ok()) return status;
    auto layers = static_cast<int32_t>(growing.num_layers_attempted);
    if (status = set_scalar(launch, 3, layers); !status.ok()) return status;
    // The range of the root, where nothing has grown.
    return set_values<int32_t>(
        launch, 4, {growing.last_layer_node_start, std::max(1, growing.last_layer_node_end)});
  });
}

}  // namespace

Status need_rank(const Tensor& input, int rank, const std::string& name) {
  if (input.shape().rank() == rank) return {};
  const char* kinds[] = {"a scalar", "a vector", "a matrix"};
  return invalid_argument(
      name + " must be " +
      (rank < 3 ? std::string(kinds[rank]) : "of rank " + std::to_string(rank)) +
      ", but has the shape " + input.shape().to_string());
}

void add_boosted_trees_kernels(KernelCatalog& catalog) {
  catalog.add_compute("BoostedTreesCreateEnsemble", create_ensemble);
  catalog.add_compute("BoostedTreesDeserializeEnsemble", deserialize_ensemble);
  catalog.add_compute("BoostedTreesSerializeEnsemble", serialize);
  catalog.add_compute("IsBoostedTreesEnsembleInitialized", is_initialized);
  catalog.add_compute("BoostedTreesGetEnsembleStates", get_states);
  add_boosted_trees_prediction_kernels(catalog);
  add_boosted_trees_training_kernels(catalog);
  add_boosted_trees_stats_kernels(catalog);
  add_boosted_trees_split_kernels(catalog);
  add_boosted_trees_quantile_kernels(catalog);
}

}  // namespace troupe::cpu
