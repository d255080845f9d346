#include <algorithm>
#include <limits>

#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/random/seeds.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/cpu/tensor_forest/batch.hpp"
#include "troupe/devices/resources/tensor_forest/forest_resources.hpp"

namespace troupe::cpu {
namespace {

/// What f(slots, tree) says, which may change both.
template <class F>
Status change_both(Launch& launch, const F& f) {
  auto tree = resource_input<DecisionTreeResource>(launch, 0);
  if (!tree) return tree.status();
  auto stats = resource_input<FertileStatsResource>(launch, 1);
  if (!stats) return stats.status();
  return (*stats)->change([&](forest::FertileSlots& slots) {
    return (*tree)->change([&](forest::Tree& grown) { return f(slots, grown); });
  });
}

Status process_input(
    Launch& launch, const forest::Params& params, const forest::DataSpec& spec, int64_t seed) {
  auto examples = examples_from(launch, 2, spec);
  if (!examples) return examples.status();
  auto targets = targets_from(launch, 6, params, examples->count());
  if (!targets) return targets.status();
  auto leaf_ids = leaf_ids_from(launch, 8, examples->count());
  if (!leaf_ids) return leaf_ids.status();
  std::vector<int32_t> finished;
  auto status = change_both(launch, [&](forest::FertileSlots& slots, const forest::Tree&) {
    forest::FeatureSampler sampler(
        *examples, seed == 0 ? fresh_seed() : static_cast<uint64_t>(seed));
    ForestBatch batch(slots, *examples, *targets, sampler);
    auto added = params.collate_examples ? batch.add_by_leaf(*leaf_ids) : batch.add(*leaf_ids);
    finished = batch.finished();
    return added;
  });
  if (!status.ok()) return status;
  note_change(launch, 1);
  return set_values(launch, 0, finished);
}

Result<Kernel> make_process_input(const Node& node) {
  auto params = params_of(node);
  if (!params) return params.status();
  auto spec = data_spec_of(node);
  if (!spec) return spec.status();
  auto seed = node.attr<int64_t>("random_seed");
  if (seed != static_cast<int32_t>(seed))
    return invalid_argument("random_seed " + std::to_string(seed) + " is no int32");
  return Kernel{
      .compute = [params = *std::move(params), spec = *std::move(spec), seed](Launch& launch) {
        return process_input(launch, *params, *spec, seed);
      }};
}

/// Splits a leaf, or lets it begin anew where all candidates are useless.
Status grow_leaf(forest::FertileSlots& slots, forest::Tree& tree, int32_t node) {
  auto stats = slots.find(node);
  if (!stats) return stats.status();
  auto depth = (*stats)->depth();
  auto best = (*stats)->best_split();
  if (!best) {
    slots.clear(node);
    return slots.allocate(node, depth);
  }
  auto branches = tree.split(node, *best);
  if (!branches) return branches.status();
  auto below = depth < std::numeric_limits<int32_t>::max() ? depth + 1 : depth;
  auto status = slots.allocate(branches->first, below);
  if (status.ok()) status = slots.allocate(branches->second, below);
  slots.clear(node);
  return status;
}

Status grow_tree(Launch& launch, const forest::Params& params) {
  auto finished = values_of<int32_t>(launch.input(2), 1, "finished_nodes");
  if (!finished) return finished.status();
  auto status = change_both(launch, [&](forest::FertileSlots& slots, forest::Tree& tree) {
    auto most = static_cast<size_t>(std::max(params.max_nodes, 0));
    for (auto node : *finished) {
      if (tree.size() >= most) break;
      if (auto grown = grow_leaf(slots, tree, node); !grown.ok()) return grown;
    }
    return Status();
  });
  if (!status.ok()) return status;
  note_change(launch, 0);
  note_change(launch, 1);
  return {};
}

Status finalize_tree(Launch& launch, const forest::Params& params) {
  return change_both(launch, [&](forest::FertileSlots&, const forest::Tree& tree) -> Status {
    if (params.is_regression) return {};
    for (size_t i = 0; i < tree.size(); ++i)
      if (tree.leaf(static_cast<int32_t>(i)))
        return unimplemented("FinalizeTree is disabled for classification");
    return {};
  });
}

template <Status (*compute)(Launch&, const forest::Params&)>
Result<Kernel> with_params(const Node& node) {
  auto params = params_of(node);
  if (!params) return params.status();
  return Kernel{.compute = [params = *std::move(params)](Launch& launch) {
    return compute(launch, *params);
  }};
}

}  // namespace

void add_forest_training_kernels(KernelCatalog& catalog) {
  catalog.add("ProcessInputV4", make_process_input);
  catalog.add("GrowTreeV4", with_params<grow_tree>);
  catalog.add("FinalizeTree", with_params<finalize_tree>);
}

}  // namespace troupe::cpu
