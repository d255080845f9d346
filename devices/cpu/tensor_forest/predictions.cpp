#include "troupe/devices/cpu/learning/boosted_trees.hpp"
#include "troupe/devices/cpu/state/resource_input.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/tensor_forest/inputs.hpp"
#include "troupe/devices/cpu/tensor_forest/messages.hpp"
#include "troupe/devices/resources/tensor_forest/forest_resources.hpp"

namespace troupe::cpu {
namespace {

/// Of one example: weights of classes become parts of their sum.
Status predict_example(
    const forest::Leaf& leaf, const forest::Params& params, std::span<float> to) {
  auto status = forest::get_outputs(leaf, params, to);
  if (!status.ok() || params.is_regression) return status;
  float sum = 0;
  for (auto weight : to) sum += weight;
  if (sum > 0 && sum != 1)
    for (auto& weight : to) weight /= sum;
  return {};
}

Status predict(Launch& launch, const forest::Params& params, const forest::DataSpec& spec) {
  auto resource = resource_input<DecisionTreeResource>(launch, 0);
  if (!resource) return resource.status();
  auto examples = examples_from(launch, 1, spec);
  if (!examples) return examples.status();
  int64_t sizes[] = {examples->count(), params.num_outputs};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto predictions = launch.allocate(DType::float32, *shape);
  if (!predictions) return predictions.status();
  auto has_paths = params.inference_tree_paths;
  auto paths = launch.allocate(DType::string, {has_paths ? examples->count() : 0});
  if (!paths) return paths.status();
  auto* to = predictions->mutable_data<float>();
  auto* path_to = has_paths ? paths->mutable_data<std::string>() : nullptr;
  auto status = (*resource)->read([&](const forest::Tree& tree) {
    return each_element(examples->count(), [&](int64_t i) {
      forest::TreePath path;
      auto node = tree.find_leaf(*examples, i, has_paths ? &path : nullptr);
      if (!node) return node.status();
      if (has_paths) path_to[i] = serialize(path);
      auto row = std::span(to + i * sizes[1], static_cast<size_t>(sizes[1]));
      auto leaf = tree.leaf(*node);
      return leaf ? predict_example(**leaf, params, row) : leaf.status();
    });
  });
  if (!status.ok()) return status;
  launch.set(0, *std::move(predictions));
  launch.set(1, *std::move(paths));
  return {};
}

Status traverse(Launch& launch, const forest::Params&, const forest::DataSpec& spec) {
  auto resource = resource_input<DecisionTreeResource>(launch, 0);
  if (!resource) return resource.status();
  auto examples = examples_from(launch, 1, spec);
  if (!examples) return examples.status();
  auto leaf_ids = launch.allocate(DType::int32, {examples->count()});
  if (!leaf_ids) return leaf_ids.status();
  auto* to = leaf_ids->mutable_data<int32_t>();
  auto status = (*resource)->read([&](const forest::Tree& tree) {
    return each_element(examples->count(), [&](int64_t i) {
      auto leaf = tree.find_leaf(*examples, i);
      if (leaf) to[i] = *leaf;
      return leaf.status();
    });
  });
  if (status.ok()) launch.set(0, *std::move(leaf_ids));
  return status;
}

template <Status (*compute)(Launch&, const forest::Params&, const forest::DataSpec&)>
Result<Kernel> on_examples(const Node& node) {
  auto params = params_of(node);
  if (!params) return params.status();
  auto spec = data_spec_of(node);
  if (!spec) return spec.status();
  return Kernel{.compute = [params = *std::move(params), spec = *std::move(spec)](Launch& launch) {
    return compute(launch, *params, *spec);
  }};
}

Status update_model(Launch& launch, const forest::Params& params) {
  auto resource = resource_input<DecisionTreeResource>(launch, 0);
  if (!resource) return resource.status();
  const auto& labels = launch.input(2);
  if (labels.shape().rank() < 1) return invalid_argument("input_labels must not be a scalar");
  auto count = labels.shape()[0];
  auto targets = targets_from(launch, 2, params, count);
  if (!targets) return targets.status();
  auto leaf_ids = leaf_ids_from(launch, 1, count);
  if (!leaf_ids) return leaf_ids.status();
  auto id = [&](int64_t i) { return (*leaf_ids)[static_cast<size_t>(i)]; };
  auto status = (*resource)->change([&](forest::Tree& tree) -> Status {
    // All are checked before the first one counts.
    for (int64_t i = 0; i < count; ++i) {
      if (auto leaf = tree.leaf(id(i)); !leaf) return leaf.status();
      if (params.is_regression) continue;
      if (auto label = targets->label(i, params.num_outputs); !label) return label.status();
    }
    for (int64_t i = 0; i < count; ++i)
      if (auto added = forest::add_example(**tree.leaf(id(i)), params, *targets, i); !added.ok())
        return added;
    return {};
  });
  if (status.ok()) note_change(launch, 0);
  return status;
}

Result<Kernel> make_update_model(const Node& node) {
  auto params = params_of(node);
  if (!params) return params.status();
  return Kernel{.compute = [params = *std::move(params)](Launch& launch) {
    return update_model(launch, *params);
  }};
}

}  // namespace

void add_forest_prediction_kernels(KernelCatalog& catalog) {
  catalog.add("TreePredictionsV4", on_examples<predict>);
  catalog.add("TraverseTreeV4", on_examples<traverse>);
  catalog.add("UpdateModelV4", make_update_model);
}

}  // namespace troupe::cpu
