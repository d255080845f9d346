#include <string>

#include "troupe/graph/ops/learning/boosted_trees.hpp"

namespace troupe {
namespace {

int64_t sum_of_sizes(int64_t a, int64_t b) {
  return a == Shape::unknown || b == Shape::unknown ? Shape::unknown : a + b;
}

/// Sets output 0 where such a tensor can be.
Status set_shape(ShapeInference& s, std::initializer_list<int64_t> sizes) {
  auto shape = Shape::make(std::span(sizes.begin(), sizes.size()));
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// Of the node ids, gradients and hessians of examples, which are inputs 0 to 2. The number of
/// examples.
Result<int64_t> infer_examples(const ShapeInference& s) {
  if (auto status = s.need_rank(0, 1); !status.ok()) return status;
  auto examples = Result<int64_t>(size_of_axis(s.input(0), 0));
  for (int i = 1; i < 3 && examples; ++i) {
    if (auto status = s.need_rank(i, 2); !status.ok()) return status;
    examples = same_size(*examples, size_of_axis(s.input(i), 0));
  }
  return examples;
}

Status infer_summary(ShapeInference& s) {
  auto examples = infer_examples(s);
  if (!examples) return examples.status();
  if (auto merged = s.input(1).merge(s.input(2)); !merged) return merged.status();
  auto features = s.attr<int64_t>("num_features");
  if (auto status = need_shapes(s, 3, features, Shape{*examples}); !status.ok()) return status;
  return set_shape(
      s, {features, s.attr<int64_t>("max_splits"), s.attr<int64_t>("num_buckets"), 2});
}

Status infer_aggregate(ShapeInference& s) {
  auto examples = infer_examples(s);
  if (!examples) return examples.status();
  if (auto status = s.need_rank(3, 2); !status.ok()) return status;
  if (auto same = same_size(*examples, size_of_axis(s.input(3), 0)); !same) return same.status();
  auto stats = sum_of_sizes(size_of_axis(s.input(1), 1), size_of_axis(s.input(2), 1));
  // One more for what has no bucket.
  auto buckets = s.attr<int64_t>("num_buckets");
  if (buckets > Shape::max_elements) return resource_exhausted("there are too many buckets");
  return set_shape(
      s, {s.attr<int64_t>("max_splits"), size_of_axis(s.input(3), 1), buckets + 1, stats});
}

Status infer_sparse_aggregate(ShapeInference& s) {
  if (auto examples = infer_examples(s); !examples) return examples.status();
  if (auto status = s.need_rank(3, 2); !status.ok()) return status;
  if (auto status = s.need_rank(4, 1); !status.ok()) return status;
  if (auto status = need_shape(s, 5, Shape{2}); !status.ok()) return status;
  auto entries = same_size(size_of_axis(s.input(3), 0), size_of_axis(s.input(4), 0));
  if (!entries) return entries.status();
  s.set(0, {Shape::unknown, 4});
  s.set(1, {Shape::unknown});
  s.set(2, {4});
  return {};
}

Op of_examples(std::string name) {
  return Op(std::move(name))
      .input("node_ids", DType::int32)
      .input("gradients", DType::float32)
      .input("hessians", DType::float32)
      .attr("max_splits", AttrType::integer)
      .attr_at_least("max_splits", 1)
      .attr("num_buckets", AttrType::integer)
      .attr_at_least("num_buckets", 1);
}

}  // namespace

void add_boosted_trees_stats_ops(OpCatalog& catalog) {
  catalog.add(of_examples("BoostedTreesMakeStatsSummary")
      .doc("For each feature, node and bucket the sum of the gradients, and that of the hessians, "
           "of the examples that are there.")
      .inputs("bucketized_features_list", DType::int32, "num_features")
      .attr("num_features", AttrType::integer)
      .attr_at_least("num_features", 1)
      .output("stats_summary", DType::float32)
      .infer_shape(infer_summary));
  catalog.add(of_examples("BoostedTreesAggregateStats")
      .doc("For each node, dimension of the feature and bucket the sums of the gradients, and "
           "those of the hessians, of the examples that are there. The last bucket is for -1, "
           "which stands for a missing value.")
      .input("feature", DType::int32)
      .output("stats_summary", DType::float32)
      .infer_shape(infer_aggregate));
  catalog.add(of_examples("BoostedTreesSparseAggregateStats")
      .doc("As BoostedTreesAggregateStats, of a sparse feature and with a sparse result. Values "
           "that it does not have are missing.")
      .input("feature_indices", DType::int32)
      .input("feature_values", DType::int32)
      .input("feature_shape", DType::int32)
      .output("stats_summary_indices", DType::int32)
      .output("stats_summary_values", DType::float32)
      .output("stats_summary_shape", DType::int32)
      .infer_shape(infer_sparse_aggregate));
}

}  // namespace troupe
