#include "troupe/graph/ops/learning/boosted_trees.hpp"

#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/learning/resource_ops.hpp"

namespace troupe {
namespace {

void add_handles(OpCatalog& catalog) {
  catalog.add(learning_handle_op("BoostedTreesEnsembleResourceHandleOp")
      .doc("The handle of the ensemble of decision trees `shared_name` in `container`, which "
           "BoostedTreesCreateEnsemble makes. Without a name only the session can use it."));
  catalog.add(learning_handle_op("BoostedTreesQuantileStreamResourceHandleOp")
      .doc("The handle of the quantile streams `shared_name` in `container`, which "
           "BoostedTreesCreateQuantileStreamResource makes. Without a name only the session can "
           "use them."));
}

void add_ensemble_ops(OpCatalog& catalog) {
  catalog.add(Op("IsBoostedTreesEnsembleInitialized")
      .doc("Whether the ensemble was created.")
      .input("tree_ensemble_handle", DType::resource)
      .output("is_initialized", DType::boolean)
      .infer_shape(infer_scalars)
      .stateful());
  catalog.add(Op("BoostedTreesCreateEnsemble")
      .doc("Makes the ensemble what the bytes of a TreeEnsemble say, with that stamp, unless there "
           "is one.")
      .input("tree_ensemble_handle", DType::resource)
      .input("stamp_token", DType::int64)
      .input("tree_ensemble_serialized", DType::string)
      .infer_shape(infer_scalars)
      .stateful());
  catalog.add(Op("BoostedTreesDeserializeEnsemble")
      .doc("Makes the ensemble, which was created before, what the bytes of a TreeEnsemble say.")
      .input("tree_ensemble_handle", DType::resource)
      .input("stamp_token", DType::int64)
      .input("tree_ensemble_serialized", DType::string)
      .infer_shape(infer_scalars)
      .stateful());
  catalog.add(Op("BoostedTreesSerializeEnsemble")
      .doc("The stamp of the ensemble, and what it is as the bytes of a TreeEnsemble.")
      .input("tree_ensemble_handle", DType::resource)
      .output("stamp_token", DType::int64)
      .output("tree_ensemble_serialized", DType::string)
      .infer_shape(infer_scalars)
      .stateful());
  catalog.add(Op("BoostedTreesGetEnsembleStates")
      .doc("How far the ensemble has grown: its stamp, its trees, those of them that are complete, "
           "the layers that were tried, and the first node of the last layer and the one behind "
           "its last.")
      .input("tree_ensemble_handle", DType::resource)
      .output("stamp_token", DType::int64)
      .output("num_trees", DType::int32)
      .output("num_finalized_trees", DType::int32)
      .output("num_attempted_layers", DType::int32)
      .output("last_layer_nodes_range", DType::int32)
      .infer_shape([](ShapeInference& s) {
        auto status = infer_scalars(s);
        s.set(4, {2});
        return status;
      })
      .stateful());
}

}  // namespace

Status need_shape(const ShapeInference& s, int index, const Shape& shape) {
  return s.input(index).merge(shape).status();
}

Status need_shapes(const ShapeInference& s, int first, int64_t count, const Shape& shape) {
  for (int64_t i = 0; i < count; ++i)
    if (auto status = need_shape(s, first + static_cast<int>(i), shape); !status.ok())
      return status;
  return {};
}

Result<int64_t> same_size(int64_t a, int64_t b) {
  if (a == Shape::unknown) return b;
  if (b == Shape::unknown || a == b) return a;
  return invalid_argument(
      "sizes differ that must be equal: " + std::to_string(a) + " and " + std::to_string(b));
}

int64_t size_of_axis(const Shape& shape, int axis) {
  return shape.has_rank() && shape.rank() > axis ? shape[axis] : Shape::unknown;
}

// Gradient boosted trees. Handles are those of ensembles, or of the streams of summaries that the
// boundaries of their buckets come from.
void add_boosted_trees_ops(OpCatalog& catalog) {
  add_handles(catalog);
  add_ensemble_ops(catalog);
  add_boosted_trees_prediction_ops(catalog);
  add_boosted_trees_training_ops(catalog);
  add_boosted_trees_stats_ops(catalog);
  add_boosted_trees_split_ops(catalog);
  add_boosted_trees_quantile_ops(catalog);
}

}  // namespace troupe
