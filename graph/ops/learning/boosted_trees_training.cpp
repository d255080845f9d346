#include <string>

#include "troupe/graph/ops/learning/boosted_trees.hpp"

namespace troupe {
namespace {

/// The inputs of an update from the third on, which come in groups of one for each feature.
struct Group {
  const char* name;
  DType dtype;
  bool is_matrix = false;
};

/// Each feature has as many entries in all groups as it has candidates.
Status infer_update(const ShapeInference& s, const std::vector<Group>& groups) {
  auto features = s.attr<int64_t>("num_features");
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  if (auto status = need_shape(s, 1, Shape{features}); !status.ok()) return status;
  std::vector<int64_t> counts(static_cast<size_t>(features), Shape::unknown);
  int input = 2;
  for (const auto& group : groups)
    for (auto& count : counts) {
      auto shape = group.is_matrix ? Shape{count, 1} : Shape{count};
      auto merged = s.input(input++).merge(shape);
      if (!merged) return merged.status();
      count = size_of_axis(*merged, 0);
    }
  for (; input < s.input_count(); ++input)
    if (auto status = s.need_rank(input, 0); !status.ok()) return status;
  return {};
}

Op update_op(std::string name, std::initializer_list<Group> groups) {
  auto op = Op(std::move(name))
                .input("tree_ensemble_handle", DType::resource)
                .input("feature_ids", DType::int32);
  for (const auto& group : groups)
    op = Op(std::move(op).inputs(group.name, group.dtype, "num_features"));
  return std::move(op)
      .input("max_depth", DType::int32)
      .input("learning_rate", DType::float32)
      .infer_shape([groups = std::vector<Group>(groups)](ShapeInference& s) {
        return infer_update(s, groups);
      })
      .stateful();
}

Status infer_center_bias(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  for (int i : {1, 2})
    if (auto status = s.need_rank(i, 2); !status.ok()) return status;
  if (auto merged = s.input(1).merge(s.input(2)); !merged) return merged.status();
  for (int i : {3, 4})
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  s.set(0, {});
  return {};
}

}  // namespace

void add_boosted_trees_training_ops(OpCatalog& catalog) {
  constexpr auto i32 = DType::int32;
  constexpr auto f32 = DType::float32;
  catalog.add(
      update_op(
          "BoostedTreesUpdateEnsemble",
          {{"node_ids", i32},
           {"gains", f32},
           {"thresholds", i32},
           {"left_node_contribs", f32, true},
           {"right_node_contribs", f32, true}})
      .doc("Adds a layer to the last tree: of the splits that features offer for a node it gets "
           "the one with the greatest gain. A tree of `max_depth` layers is complete, and a new "
           "one begins. pruning_mode: 0 keeps all splits, 1 leaves those with negative gain out, 2 "
           "removes them once the tree is complete.")
      .attr("pruning_mode", AttrType::integer)
      .attr_at_least("pruning_mode", 0)
      .attr("num_features", AttrType::integer)
      .attr_at_least("num_features", 0));
  catalog.add(
      update_op(
          "BoostedTreesUpdateEnsembleV2",
          {{"dimension_ids", i32},
           {"node_ids", i32},
           {"gains", f32},
           {"thresholds", i32},
           {"left_node_contribs", f32, true},
           {"right_node_contribs", f32, true},
           {"split_types", DType::string}})
      .doc("As BoostedTreesUpdateEnsemble, where features may have several dimensions. Split types "
           "are inequality_default_left, inequality_default_right and equality_default_right, in "
           "capitals.")
      .input("pruning_mode", i32)
      .attr("num_features", AttrType::integer)
      .attr_at_least("num_features", 0));
  catalog.add(Op("BoostedTreesCenterBias")
      .doc("Adds to the root of the first tree what all examples together ask for, by their mean "
           "gradient and hessian; makes that tree where there is none. Tells whether that was much "
           "enough to do it again.")
      .input("tree_ensemble_handle", DType::resource)
      .input("mean_gradients", f32)
      .input("mean_hessians", f32)
      .input("l1", f32)
      .input("l2", f32)
      .output("continue_centering", DType::boolean)
      .infer_shape(infer_center_bias)
      .stateful());
}

}  // namespace troupe
