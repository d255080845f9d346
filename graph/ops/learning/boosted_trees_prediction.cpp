#include <string>

#include "troupe/graph/ops/learning/boosted_trees.hpp"

namespace troupe {
namespace {

/// The number of examples, which all features from input `first` on have.
Result<int64_t> example_count(const ShapeInference& s, int first) {
  auto count = Result<int64_t>(Shape::unknown);
  for (int i = first; i < s.input_count() && count; ++i) {
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
    count = same_size(*count, size_of_axis(s.input(i), 0));
  }
  return count;
}

Result<Shape> logits_shape(const ShapeInference& s, int64_t examples) {
  int64_t sizes[] = {examples, s.attr<int64_t>("logits_dimension")};
  if (sizes[1] < 0) return invalid_argument("logits_dimension must not be negative");
  return Shape::make(sizes);
}

Status infer_predict(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  auto examples = example_count(s, 1);
  if (!examples) return examples.status();
  auto logits = logits_shape(s, *examples);
  if (logits) s.set(0, *logits);
  return logits.status();
}

Status infer_debug_outputs(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  auto examples = example_count(s, 1);
  if (examples) s.set(0, {*examples});
  return examples.status();
}

Status infer_training_predict(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  // The ids that are cached are as many as the examples of a feature.
  auto examples = example_count(s, 1);
  if (!examples) return examples.status();
  auto logits = logits_shape(s, *examples);
  if (!logits) return logits.status();
  s.set(0, *logits);
  s.set(1, {*examples});
  s.set(2, {*examples});
  return {};
}

Op with_features(Op op) {
  return std::move(op)
      .inputs("bucketized_features", DType::int32, "num_bucketized_features")
      .attr("num_bucketized_features", AttrType::integer)
      .attr_at_least("num_bucketized_features", 1)
      .attr("logits_dimension", AttrType::integer)
      .stateful();
}

}  // namespace

void add_boosted_trees_prediction_ops(OpCatalog& catalog) {
  catalog.add(
      with_features(Op("BoostedTreesPredict").input("tree_ensemble_handle", DType::resource))
      .doc("The logits of each example, by the bucket that each of its features is in: the sum of "
           "the leaves that all trees lead it to.")
      .output("logits", DType::float32)
      .infer_shape(infer_predict));
  catalog.add(
      with_features(
          Op("BoostedTreesTrainingPredict")
              .input("tree_ensemble_handle", DType::resource)
              .input("cached_tree_ids", DType::int32)
              .input("cached_node_ids", DType::int32))
      .doc("What the logits of each example have changed by since it was led to the node of "
           "`cached_node_ids` of the tree of `cached_tree_ids`, -1 standing for none; and where "
           "the last tree leads it to.")
      .output("partial_logits", DType::float32)
      .output("tree_ids", DType::int32)
      .output("node_ids", DType::int32)
      .infer_shape(infer_training_predict));
  catalog.add(
      with_features(
          Op("BoostedTreesExampleDebugOutputs").input("tree_ensemble_handle", DType::resource))
      .doc("For each example the bytes of a DebugOutput: the features that the trees ask for on "
           "its way, and its logit at first and after each of them. There must be one logit.")
      .output("examples_debug_outputs_serialized", DType::string)
      .infer_shape(infer_debug_outputs));
}

}  // namespace troupe
