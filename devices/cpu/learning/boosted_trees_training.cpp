#include <algorithm>
#include <map>

#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/learning/boosted_trees_weights.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/resources/learning/tree_ensemble_resource.hpp"
#include "troupe/devices/resources/learning/tree_growth.hpp"

namespace troupe::cpu {
namespace {

using Stamped = TreeEnsembleResource::Stamped;
using Kind = SplitCandidate::Kind;
using Candidates = std::map<int32_t, SplitCandidate>;

/// Where an update has its inputs: groups of one for each feature.
class UpdateInputs {
 public:
  UpdateInputs(const Launch& launch, int features, bool has_dimensions)
      : launch_(launch), features_(features), has_dimensions_(has_dimensions) {}

  int features() const { return features_; }
  bool has_dimensions() const { return has_dimensions_; }
  const Tensor& dimension_ids(int feature) const { return of_group(-1, feature); }
  const Tensor& node_ids(int feature) const { return of_group(0, feature); }
  const Tensor& gains(int feature) const { return of_group(1, feature); }
  const Tensor& thresholds(int feature) const { return of_group(2, feature); }
  const Tensor& left(int feature) const { return of_group(3, feature); }
  const Tensor& right(int feature) const { return of_group(4, feature); }
  const Tensor& split_types(int feature) const { return of_group(5, feature); }
  const Tensor& max_depth() const { return of_group(last_group(), 0); }
  const Tensor& learning_rate() const { return behind(1); }
  const Tensor& pruning_mode() const { return behind(2); }

 private:
  int last_group() const { return has_dimensions_ ? 6 : 5; }
  const Tensor& of_group(int group, int feature) const {
    return launch_.input(2 + (group + (has_dimensions_ ? 1 : 0)) * features_ + feature);
  }
  const Tensor& behind(int more) const {
    return launch_.input(2 + (last_group() + (has_dimensions_ ? 1 : 0)) * features_ + more);
  }

  const Launch& launch_;
  int features_;
  bool has_dimensions_;
};

Status check_count(const Tensor& input, int rank, size_t count, const std::string& name) {
  auto status = need_rank(input, rank, name);
  if (!status.ok()) return status;
  if (input.shape()[0] == static_cast<int64_t>(count) && (rank < 2 || input.shape()[1] >= 1))
    return {};
  return invalid_argument(
      name + " must have a row for each of the " + std::to_string(count) +
      " node_ids, but has the shape " + input.shape().to_string());
}

Result<Kind> kind_of(const std::string& split_type) {
  if (split_type == "INEQUALITY_DEFAULT_LEFT") return Kind::default_left;
  if (split_type == "INEQUALITY_DEFAULT_RIGHT") return Kind::default_right;
  if (split_type == "EQUALITY_DEFAULT_RIGHT") return Kind::equality;
  return invalid_argument("'" + split_type + "' is no type of a split");
}

/// Of a feature, all candidates by their nodes.
Status check_candidates(const UpdateInputs& inputs, int feature) {
  auto status = need_rank(inputs.node_ids(feature), 1, "node_ids");
  if (!status.ok()) return status;
  auto count = static_cast<size_t>(inputs.node_ids(feature).elements());
  for (auto [input, rank, name] :
       {std::tuple(&inputs.gains(feature), 1, "gains"),
        std::tuple(&inputs.thresholds(feature), 1, "thresholds"),
        std::tuple(&inputs.left(feature), 2, "left_node_contribs"),
        std::tuple(&inputs.right(feature), 2, "right_node_contribs")})
    if (status = check_count(*input, rank, count, name); !status.ok()) return status;
  if (!inputs.has_dimensions()) return {};
  status = check_count(inputs.dimension_ids(feature), 1, count, "dimension_ids");
  return status.ok() ? check_count(inputs.split_types(feature), 1, count, "split_types") : status;
}

/// Keeps the better of the candidates for a node; of two as good ones that of the first feature.
void offer(Candidates& best, int32_t node, const SplitCandidate& candidate) {
  auto [found, is_new] = best.try_emplace(node, candidate);
  if (is_new) return;
  auto& held = found->second;
  if (are_gains_equal(candidate.gain, held.gain)) {
    if (candidate.feature_id < held.feature_id) held = candidate;
  } else if (is_gain_larger(candidate.gain, held.gain)) {
    held = candidate;
  }
}

Status offer_feature(
    const UpdateInputs& inputs, int feature, int32_t feature_id, float learning_rate,
    Candidates& best) {
  auto status = check_candidates(inputs, feature);
  if (!status.ok()) return status;
  auto nodes = inputs.node_ids(feature).values<int32_t>();
  const auto& left = inputs.left(feature);
  const auto& right = inputs.right(feature);
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto first_of_row = [&](const Tensor& matrix) {
      return matrix.data<float>()[i * static_cast<size_t>(matrix.shape()[1])];
    };
    SplitCandidate candidate{
        .feature_id = feature_id,
        .threshold = inputs.thresholds(feature).data<int32_t>()[i],
        .gain = inputs.gains(feature).data<float>()[i],
        .left_contribution = learning_rate * first_of_row(left),
        .right_contribution = learning_rate * first_of_row(right)};
    if (inputs.has_dimensions()) {
      auto kind = kind_of(inputs.split_types(feature).data<std::string>()[i]);
      if (!kind) return kind.status();
      candidate.kind = *kind;
      candidate.dimension_id = inputs.dimension_ids(feature).data<int32_t>()[i];
    }
    offer(best, nodes[i], candidate);
  }
  return {};
}

Result<Candidates> best_candidates(const Launch& launch, const UpdateInputs& inputs) {
  auto ids = values_of<int32_t>(launch.input(1), 1, "feature_ids");
  if (!ids) return ids.status();
  if (ids->size() != static_cast<size_t>(inputs.features()))
    return invalid_argument(
        "there are " + std::to_string(inputs.features()) + " features, but " +
        std::to_string(ids->size()) + " feature_ids");
  auto learning_rate = scalar_value<float>(inputs.learning_rate(), "learning_rate");
  if (!learning_rate) return learning_rate.status();
  Candidates best;
  for (int i = 0; i < inputs.features(); ++i) {
    auto id = (*ids)[static_cast<size_t>(i)];
    auto status = offer_feature(inputs, i, id, *learning_rate, best);
    if (!status.ok()) return status;
  }
  return best;
}

/// A stamp that a file may have set to anything wraps around.
void count_change(Stamped& state) {
  state.stamp = static_cast<int64_t>(static_cast<uint64_t>(state.stamp) + 1);
}

/// Modes that there are not keep all splits, as 0 does.
PruningMode pruning_mode_of(int64_t mode) {
  if (mode == 1) return PruningMode::before;
  return mode == 2 ? PruningMode::after : PruningMode::none;
}

Status update_ensemble(
    Launch& launch, const UpdateInputs& inputs, const Result<PruningMode>& pruning) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  if (!pruning) return pruning.status();
  auto max_depth = scalar_value<int32_t>(inputs.max_depth(), "max_depth");
  if (!max_depth) return max_depth.status();
  auto candidates = best_candidates(launch, inputs);
  if (!candidates) return candidates.status();
  auto status = (*resource)->change([&](Stamped& state) {
    auto grown = grow(state.ensemble, *candidates, {*max_depth, *pruning});
    if (grown.ok()) count_change(state);
    return grown;
  });
  if (status.ok()) note_change(launch, 0);
  return status;
}

Result<Kernel> make_update(const Node& node) {
  auto features = static_cast<int>(node.attr<int64_t>("num_features"));
  auto pruning = pruning_mode_of(node.attr<int64_t>("pruning_mode"));
  return Kernel{.compute = [=](Launch& launch) {
    return update_ensemble(launch, UpdateInputs(launch, features, false), pruning);
  }};
}

Result<Kernel> make_update_v2(const Node& node) {
  auto features = static_cast<int>(node.attr<int64_t>("num_features"));
  return Kernel{.compute = [=](Launch& launch) {
    UpdateInputs inputs(launch, features, true);
    auto mode = scalar_value<int32_t>(inputs.pruning_mode(), "pruning_mode");
    auto pruning = mode ? Result<PruningMode>(pruning_mode_of(*mode)) : mode.status();
    return update_ensemble(launch, inputs, pruning);
  }};
}

/// The one mean that a matrix has.
Result<float> mean_of(const Tensor& means, const std::string& name) {
  auto values = values_of<float>(means, 2, name);
  if (!values) return values.status();
  if (values->size() == 1) return (*values)[0];
  return invalid_argument(
      name + " must have one logit of one row, but has the shape " + means.shape().to_string());
}

/// Adds to the root of the first tree; whether that was so much that it is to be done again.
Result<bool> add_bias(TreeEnsemble& ensemble, float logit) {
  auto status = ensemble.check_growable();
  if (!status.ok()) return status;
  if (ensemble.trees.empty()) {
    add_tree(ensemble, logit);
    return true;
  }
  auto& root = ensemble.trees[0].nodes[0];
  auto* leaf = std::get_if<TreeLeaf>(&root.content);
  auto values = node_values(root);
  if (!leaf || values.size() != 1)
    return invalid_argument("the first tree has grown, or has no bias of one logit");
  auto bias = values[0];
  leaf->scalar = bias + logit;
  constexpr float least_change = 0.01f;
  return std::abs(logit / bias) > least_change;
}

Status center_bias(Launch& launch) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  auto gradient = mean_of(launch.input(1), "mean_gradients");
  if (!gradient) return gradient.status();
  auto hessian = mean_of(launch.input(2), "mean_hessians");
  if (!hessian) return hessian.status();
  auto l1 = scalar_value<float>(launch.input(3), "l1");
  if (!l1) return l1.status();
  auto l2 = scalar_value<float>(launch.input(4), "l2");
  if (!l2) return l2.status();
  auto logit = leaf_weight(*gradient, *hessian, {*l1, *l2}).weight;
  auto status = (*resource)->change([&](Stamped& state) {
    auto goes_on = add_bias(state.ensemble, logit);
    if (!goes_on) return goes_on.status();
    count_change(state);
    return set_scalar(launch, 0, *goes_on);
  });
  if (status.ok()) note_change(launch, 0);
  return status;
}

}  // namespace

void add_boosted_trees_training_kernels(KernelCatalog& catalog) {
  catalog.add("BoostedTreesUpdateEnsemble", make_update);
  catalog.add("BoostedTreesUpdateEnsembleV2", make_update_v2);
  catalog.add_compute("BoostedTreesCenterBias", center_bias);
}

}  // namespace troupe::cpu
