#include <algorithm>

#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/learning/boosted_trees_messages.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/resources/learning/tree_ensemble_resource.hpp"

namespace troupe::cpu {
namespace {

using Stamped = TreeEnsembleResource::Stamped;

/// The buckets of each feature, all of the same examples.
struct Examples {
  std::vector<std::span<const int32_t>> buckets;
  int64_t count = 0;
};

Result<Examples> examples_from(const Launch& launch, int first) {
  Examples examples;
  for (int i = first; i < launch.input_count(); ++i) {
    auto name = "feature " + std::to_string(i - first);
    auto values = values_of<int32_t>(launch.input(i), 1, name);
    if (!values) return values.status();
    auto count = static_cast<int64_t>(values->size());
    if (i == first) examples.count = count;
    if (count != examples.count)
      return invalid_argument(
          name + " has " + std::to_string(count) + " examples, but the first one has " +
          std::to_string(examples.count));
    examples.buckets.push_back(*values);
  }
  return examples;
}

Status wrong_size(size_t found, size_t wanted) {
  return internal(
      "a node of a tree has " + std::to_string(found) + " values, but there are " +
      std::to_string(wanted) + " logits");
}

/// The way of an example through a tree, which ends where the tree has a circle.
class Walk {
 public:
  Walk(const Tree& tree, const Examples& examples, int64_t example)
      : tree_(tree), examples_(examples), example_(example) {}

  Result<int32_t> step(int32_t node) {
    if (++steps_ > tree_.nodes.size())
      return invalid_argument("the splits of a tree lead round in a circle");
    return next_node(tree_, node, examples_.buckets, example_);
  }

 private:
  const Tree& tree_;
  const Examples& examples_;
  int64_t example_;
  size_t steps_ = 0;
};

/// The leaf of the tree that the example gets to from that node.
Result<int32_t> find_leaf(
    const Tree& tree, int32_t node, const Examples& examples, int64_t example) {
  Walk walk(tree, examples, example);
  while (!tree.nodes[static_cast<size_t>(node)].is_leaf()) {
    auto next = walk.step(node);
    if (!next) return next;
    node = *next;
  }
  return node;
}

/// Adds to `sum` the values of that leaf, those of `partial` besides, by the weight of its tree.
Status add_leaf(
    const TreeNode& leaf, float weight, std::span<float> partial, std::span<float> sum) {
  auto values = node_values(leaf);
  if (values.size() != sum.size()) return wrong_size(values.size(), sum.size());
  for (size_t i = 0; i < sum.size(); ++i) {
    sum[i] += weight * (partial[i] + values[i]);
    partial[i] = 0;
  }
  return {};
}

Status predict_example(
    const TreeEnsemble& ensemble, const Examples& examples, int64_t example,
    std::span<float> logits) {
  std::vector<float> partial(logits.size());
  for (size_t i = 0; i < ensemble.trees.size(); ++i) {
    const auto& tree = ensemble.trees[i];
    auto leaf = find_leaf(tree, 0, examples, example);
    if (!leaf) return leaf.status();
    const auto& node = tree.nodes[static_cast<size_t>(*leaf)];
    auto status = add_leaf(node, ensemble.tree_weights[i], partial, logits);
    if (!status.ok()) return status;
  }
  return {};
}

/// A matrix of zeros with a row for each example.
Result<Tensor> allocate_logits(const Launch& launch, int64_t examples, int64_t dimension) {
  int64_t sizes[] = {examples, dimension};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto logits = launch.allocate(DType::float32, *shape);
  if (logits) std::fill_n(logits->mutable_data<float>(), logits->elements(), 0.0f);
  return logits;
}

Status predict(Launch& launch, int64_t dimension) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  auto examples = examples_from(launch, 1);
  if (!examples) return examples.status();
  auto logits = allocate_logits(launch, examples->count, dimension);
  if (!logits) return logits.status();
  auto* to = logits->mutable_data<float>();
  auto status = (*resource)->read([&](const Stamped& state) -> Status {
    if (auto checked = state.ensemble.check(); !checked.ok()) return checked;
    return each_element(examples->count, [&](int64_t i) {
      auto row = std::span(to + i * dimension, static_cast<size_t>(dimension));
      return predict_example(state.ensemble, *examples, i, row);
    });
  });
  if (status.ok()) launch.set(0, *std::move(logits));
  return status;
}

/// Where an example was, and where it is now.
struct Position {
  int32_t tree;
  int32_t node;
};

/// Corrects the node of an example by what became of it, and takes from `partial` its value there.
Status resume(const TreeEnsemble& ensemble, Position& at, std::span<float> partial) {
  const auto& tree = ensemble.trees[static_cast<size_t>(at.tree)];
  const auto& metadata = ensemble.tree_metadata[static_cast<size_t>(at.tree)];
  if (metadata.is_finalized && !metadata.post_pruned_nodes.empty()) {
    if (static_cast<size_t>(at.node) >= metadata.post_pruned_nodes.size())
      return invalid_argument("the tree had no node " + std::to_string(at.node));
    const auto& pruned = metadata.post_pruned_nodes[static_cast<size_t>(at.node)];
    if (pruned.logit_change.size() > partial.size())
      return wrong_size(pruned.logit_change.size(), partial.size());
    std::ranges::copy(pruned.logit_change, partial.begin());
    at.node = pruned.new_node_id;
  }
  if (at.node < 0 || static_cast<size_t>(at.node) >= tree.nodes.size())
    return invalid_argument("the tree has no node " + std::to_string(at.node));
  auto values = node_values(tree.nodes[static_cast<size_t>(at.node)]);
  if (values.empty()) return {};
  if (values.size() != partial.size()) return wrong_size(values.size(), partial.size());
  for (size_t i = 0; i < partial.size(); ++i) partial[i] -= values[i];
  return {};
}

/// Goes on to the leaf of the last tree; the logits become what they change by.
Status advance(
    const TreeEnsemble& ensemble, const Examples& examples, int64_t example, Position& at,
    std::span<float> logits) {
  auto count = ensemble.trees.size();
  if (at.tree < 0 || static_cast<size_t>(at.tree) >= count)
    return invalid_argument("the ensemble has no tree " + std::to_string(at.tree));
  std::vector<float> partial(logits.size());
  if (at.node < 0) at.node = 0;
  else if (auto status = resume(ensemble, at, partial); !status.ok()) return status;
  for (auto i = static_cast<size_t>(at.tree);; ++i, at.node = 0) {
    const auto& tree = ensemble.trees[i];
    auto leaf = find_leaf(tree, at.node, examples, example);
    if (!leaf) return leaf.status();
    at = {static_cast<int32_t>(i), *leaf};
    const auto& node = tree.nodes[static_cast<size_t>(*leaf)];
    auto status = add_leaf(node, ensemble.tree_weights[i], partial, logits);
    if (!status.ok() || i + 1 == count) return status;
  }
}

/// The ids of inputs 1 and 2, one for each example.
Result<std::vector<Position>> cached_positions(const Launch& launch, int64_t examples) {
  std::vector<Position> positions;
  auto trees = values_of<int32_t>(launch.input(1), 1, "cached_tree_ids");
  if (!trees) return trees.status();
  auto nodes = values_of<int32_t>(launch.input(2), 1, "cached_node_ids");
  if (!nodes) return nodes.status();
  auto count = static_cast<size_t>(examples);
  if (trees->size() != count || nodes->size() != count)
    return invalid_argument(
        "there are " + std::to_string(count) + " examples, but " + std::to_string(trees->size()) +
        " cached_tree_ids and " + std::to_string(nodes->size()) + " cached_node_ids");
  for (size_t i = 0; i < count; ++i) positions.push_back({(*trees)[i], (*nodes)[i]});
  return positions;
}

Status set_positions(Launch& launch, const std::vector<Position>& positions) {
  std::vector<int32_t> trees, nodes;
  for (auto [tree, node] : positions) {
    trees.push_back(tree);
    nodes.push_back(node);
  }
  auto status = set_values(launch, 1, trees);
  return status.ok() ? set_values(launch, 2, nodes) : status;
}

Status training_predict(Launch& launch, int64_t dimension) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  auto examples = examples_from(launch, 3);
  if (!examples) return examples.status();
  auto positions = cached_positions(launch, examples->count);
  if (!positions) return positions.status();
  auto logits = allocate_logits(launch, examples->count, dimension);
  if (!logits) return logits.status();
  auto* to = logits->mutable_data<float>();
  auto status = (*resource)->read([&](const Stamped& state) -> Status {
    if (auto checked = state.ensemble.check_growable(); !checked.ok()) return checked;
    if (state.ensemble.trees.empty()) {
      for (auto& position : *positions) position.node = 0;
      return {};
    }
    return each_element(examples->count, [&](int64_t i) {
      auto row = std::span(to + i * dimension, static_cast<size_t>(dimension));
      return advance(state.ensemble, *examples, i, (*positions)[static_cast<size_t>(i)], row);
    });
  });
  if (!status.ok()) return status;
  launch.set(0, *std::move(logits));
  return set_positions(launch, *positions);
}

/// The value of a node with one, by the weight of its tree.
Result<float> weighted_value(const TreeEnsemble& ensemble, size_t tree, size_t node) {
  auto values = node_values(ensemble.trees[tree].nodes[node]);
  if (values.size() != 1) return wrong_size(values.size(), 1);
  return ensemble.tree_weights[tree] * values[0];
}

Result<DebugOutput> explain(
    const TreeEnsemble& ensemble, const Examples& examples, int64_t example) {
  if (ensemble.trees.empty()) return invalid_argument("the ensemble has no trees");
  auto logit = weighted_value(ensemble, 0, 0);
  if (!logit) return logit.status();
  DebugOutput output{{}, {*logit}};
  float before = 0;  // what the leaves of the trees before add up to
  for (size_t i = 0; i < ensemble.trees.size(); ++i) {
    const auto& tree = ensemble.trees[i];
    Walk walk(tree, examples, example);
    int32_t node = 0;
    while (!tree.nodes[static_cast<size_t>(node)].is_leaf()) {
      output.feature_ids.push_back(feature_of(tree.nodes[static_cast<size_t>(node)]));
      auto next = walk.step(node);
      if (!next) return next.status();
      node = *next;
      logit = weighted_value(ensemble, i, static_cast<size_t>(node));
      if (!logit) return logit.status();
      output.logits_path.push_back(*logit + before);
    }
    // A tree that has not grown adds nothing, unless it is the first, which has the bias.
    if (i == 0 || node > 0) before += *logit;
  }
  return output;
}

Status explain_examples(Launch& launch) {
  auto resource = resource_input<TreeEnsembleResource>(launch, 0);
  if (!resource) return resource.status();
  auto examples = examples_from(launch, 1);
  if (!examples) return examples.status();
  auto outputs = launch.allocate(DType::string, {examples->count});
  if (!outputs) return outputs.status();
  auto* to = outputs->mutable_data<std::string>();
  auto status = (*resource)->read([&](const Stamped& state) -> Status {
    if (auto checked = state.ensemble.check(); !checked.ok()) return checked;
    return each_element(examples->count, [&](int64_t i) {
      auto output = explain(state.ensemble, *examples, i);
      if (output) to[i] = serialize_debug_output(*output);
      return output.status();
    });
  });
  if (status.ok()) launch.set(0, *std::move(outputs));
  return status;
}

Result<Kernel> make_explain(const Node& node) {
  if (node.attr<int64_t>("logits_dimension") != 1)
    return invalid_argument("Currently only one dimensional outputs are supported.");
  return Kernel{.compute = explain_examples};
}

template <Status (*compute)(Launch&, int64_t)>
Result<Kernel> with_dimension(const Node& node) {
  auto dimension = node.attr<int64_t>("logits_dimension");
  if (dimension < 0) return invalid_argument("logits_dimension must not be negative");
  return Kernel{.compute = [dimension](Launch& launch) { return compute(launch, dimension); }};
}

}  // namespace

void add_boosted_trees_prediction_kernels(KernelCatalog& catalog) {
  catalog.add("BoostedTreesPredict", with_dimension<predict>);
  catalog.add("BoostedTreesTrainingPredict", with_dimension<training_predict>);
  catalog.add("BoostedTreesExampleDebugOutputs", make_explain);
}

}  // namespace troupe::cpu
