#include <string>

#include "troupe/graph/ops/learning/boosted_trees.hpp"

namespace troupe {
namespace {

/// The weights that the cost of a tree has, which are the four inputs from `first` on.
Status need_scalars(const ShapeInference& s, int first) {
  for (int i = first; i < first + 4; ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  return {};
}

Op with_costs(Op op) {
  return std::move(op)
      .input("l1", DType::float32)
      .input("l2", DType::float32)
      .input("tree_complexity", DType::float32)
      .input("min_node_weight", DType::float32);
}

Op with_splits(Op op) {
  return std::move(op)
      .output("node_ids", DType::int32)
      .output("gains", DType::float32)
      .output("feature_dimensions", DType::int32)
      .output("thresholds", DType::int32)
      .output("left_node_contribs", DType::float32)
      .output("right_node_contribs", DType::float32)
      .output("split_with_default_directions", DType::string)
      .attr("logits_dimension", AttrType::integer)
      .attr_at_least("logits_dimension", 1);
}

/// One split for each node that has one. `logits`: the values that a split adds.
void set_splits(ShapeInference& s, int64_t logits) {
  for (int i = 0; i < 7; ++i) s.set(i, {Shape::unknown});
  s.set(4, {Shape::unknown, logits});
  s.set(5, {Shape::unknown, logits});
}

Status infer_gains(ShapeInference& s) {
  auto features = s.attr<int64_t>("num_features");
  if (auto status = need_shape(s, 0, Shape{2}); !status.ok()) return status;
  auto summary = Shape{s.attr<int64_t>("max_splits"), Shape::unknown, 2};
  for (int i = 1; i <= features; ++i) {
    auto merged = summary.merge(s.input(i));
    if (!merged) return merged.status();
    summary = *merged;
  }
  auto count = static_cast<int>(features);
  for (int i = 0; i < 3 * count; ++i) s.set(i, {Shape::unknown});
  for (int i = 3 * count; i < 5 * count; ++i) s.set(i, {Shape::unknown, 1});
  return need_scalars(s, count + 1);
}

Status infer_split(ShapeInference& s) {
  if (auto status = need_shape(s, 0, Shape{2}); !status.ok()) return status;
  if (auto status = s.need_rank(1, 4); !status.ok()) return status;
  set_splits(s, s.attr<int64_t>("logits_dimension"));
  return need_scalars(s, 2);
}

Status infer_sparse_split(ShapeInference& s) {
  if (auto status = need_shape(s, 0, Shape{2}); !status.ok()) return status;
  if (auto status = need_shape(s, 1, {Shape::unknown, 4}); !status.ok()) return status;
  if (auto status = s.need_rank(2, 1); !status.ok()) return status;
  if (auto status = need_shape(s, 3, Shape{4}); !status.ok()) return status;
  set_splits(s, 1);
  return need_scalars(s, 4);
}

}  // namespace

void add_boosted_trees_split_ops(OpCatalog& catalog) {
  catalog.add(
      with_costs(
          Op("BoostedTreesCalculateBestGainsPerFeature")
              .input("node_id_range", DType::int32)
              .inputs("stats_summary_list", DType::float32, "num_features"))
      .doc("For each feature and each node of the range, whose hessians must sum up to "
           "`min_node_weight`, the bucket behind which to split it with the greatest gain.")
      .outputs("node_ids_list", DType::int32, "num_features")
      .outputs("gains_list", DType::float32, "num_features")
      .outputs("thresholds_list", DType::int32, "num_features")
      .outputs("left_node_contribs_list", DType::float32, "num_features")
      .outputs("right_node_contribs_list", DType::float32, "num_features")
      .attr("max_splits", AttrType::integer)
      .attr_at_least("max_splits", 1)
      .attr("num_features", AttrType::integer)
      .attr_at_least("num_features", 1)
      .infer_shape(infer_gains));
  catalog.add(
      with_splits(
          with_costs(
              Op("BoostedTreesCalculateBestFeatureSplit")
                  .input("node_id_range", DType::int32)
                  .input("stats_summary", DType::float32)))
      .doc("For each node of the range, whose hessians must have a norm of at least "
           "`min_node_weight`, the split of the feature with the greatest gain: behind a bucket, "
           "missing values going to either side, or of one bucket from all others.")
      .attr("split_type", "inequality", {"inequality", "equality"})
      .infer_shape(infer_split));
  catalog.add(
      with_splits(
          with_costs(
              Op("BoostedTreesSparseCalculateBestFeatureSplit")
                  .input("node_id_range", DType::int32)
                  .input("stats_summary_indices", DType::int32)
                  .input("stats_summary_values", DType::float32)
                  .input("stats_summary_shape", DType::int32)))
      .doc("As BoostedTreesCalculateBestFeatureSplit, by a sparse summary that is in order, of one "
           "logit.")
      .attr("split_type", "inequality", {"inequality"})
      .infer_shape(infer_sparse_split));
}

}  // namespace troupe
