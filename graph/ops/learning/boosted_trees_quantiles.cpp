#include <string>

#include "troupe/graph/ops/learning/boosted_trees.hpp"

namespace troupe {
namespace {

/// Outputs that all have the shape.
void set_all(ShapeInference& s, const Shape& shape) {
  for (int i = 0; i < static_cast<int>(s.outputs().size()); ++i) s.set(i, shape);
}

Status need_scalars(const ShapeInference& s) {
  for (int i = 0; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  return {};
}

Op with_handle(std::string name) {
  return Op(std::move(name))
      .input("quantile_stream_resource_handle", DType::resource)
      .stateful();
}

Op with_feature_count(Op op) {
  return std::move(op)
      .attr("num_features", AttrType::integer)
      .attr_at_least("num_features", 0);
}

Status infer_make_summaries(ShapeInference& s) {
  auto features = static_cast<int>(s.attr<int64_t>("num_features"));
  for (int i = 0; i <= features; ++i)
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
  set_all(s, {Shape::unknown, 4});
  return s.need_rank(features + 1, 0);
}

Status infer_bucketize(ShapeInference& s) {
  auto features = s.attr<int64_t>("num_features");
  auto size = Result<int64_t>(Shape::unknown);
  for (int i = 0; i < 2 * features; ++i) {
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
    if (i < features) size = same_size(*size, size_of_axis(s.input(i), 0));
    if (!size) return size.status();
  }
  set_all(s, {*size});
  return {};
}

/// The handle, and tensors of that rank.
Op::InferShape with_lists(int rank) {
  return [rank](ShapeInference& s) -> Status {
    for (int i = 1; i < s.input_count(); ++i)
      if (auto status = s.need_rank(i, rank); !status.ok()) return status;
    return s.need_rank(0, 0);
  };
}

Op::InferShape giving(const Shape& shape) {
  return [shape](ShapeInference& s) {
    set_all(s, shape);
    return s.need_rank(0, 0);
  };
}

void add_stream_ops(OpCatalog& catalog) {
  catalog.add(with_feature_count(Op("BoostedTreesMakeQuantileSummaries")
      .doc("A summary of the values of each feature, from which their quantiles can be told within "
           "`epsilon`: rows of a value, its weight, and the least and the greatest rank of it. One "
           "weight stands for all examples.")
      .inputs("float_values", DType::float32, "num_features")
      .input("example_weights", DType::float32)
      .input("epsilon", DType::float32)
      .outputs("summaries", DType::float32, "num_features")
      .infer_shape(infer_make_summaries)));
  catalog.add(with_feature_count(with_handle("BoostedTreesFlushQuantileSummaries")
      .doc("The summary of all that was added to each stream. The streams are empty then.")
      .outputs("summaries", DType::float32, "num_features")
      .infer_shape(giving({Shape::unknown, 4}))));
  catalog.add(with_feature_count(with_handle("BoostedTreesQuantileStreamResourceAddSummaries")
      .doc("Adds a summary to each stream.")
      .inputs("summaries", DType::float32, "num_features")
      .infer_shape(with_lists(2))));
  catalog.add(with_feature_count(Op("BoostedTreesBucketize")
      .doc("The bucket of each value of each feature: the position of the first boundary that is "
           "not less, or of the last.")
      .inputs("float_values", DType::float32, "num_features")
      .inputs("bucket_boundaries", DType::float32, "num_features")
      .outputs("buckets", DType::int32, "num_features")
      .infer_shape(infer_bucketize)));
}

}  // namespace

void add_boosted_trees_quantile_ops(OpCatalog& catalog) {
  catalog.add(with_handle("IsBoostedTreesQuantileStreamResourceInitialized")
      .doc("Whether the streams were created.")
      .output("is_initialized", DType::boolean)
      .infer_shape(giving({})));
  catalog.add(with_handle("BoostedTreesCreateQuantileStreamResource")
      .doc("Makes that many streams, which tell quantiles within `epsilon` of about as many "
           "elements as `max_elements`, unless there are some.")
      .input("epsilon", DType::float32)
      .input("num_streams", DType::int64)
      .attr("max_elements", int64_t{1} << 40)
      .infer_shape(need_scalars));
  add_stream_ops(catalog);
  catalog.add(with_handle("BoostedTreesQuantileStreamResourceDeserialize")
      .doc("Makes these the boundaries of the buckets.")
      .inputs("bucket_boundaries", DType::float32, "num_streams")
      .attr("num_streams", AttrType::integer)
      .attr_at_least("num_streams", 1)
      .infer_shape(with_lists(1)));
  catalog.add(with_handle("BoostedTreesQuantileStreamResourceFlush")
      .doc("Makes boundaries for about that many buckets of what was added to each stream, which "
           "is empty then: values that were kept, or with generate_quantiles just as many "
           "quantiles.")
      .input("num_buckets", DType::int64)
      .attr("generate_quantiles", false)
      .infer_shape(need_scalars));
  catalog.add(with_feature_count(
      with_handle("BoostedTreesQuantileStreamResourceGetBucketBoundaries")
      .doc("The boundaries of the buckets of each feature; none before they were flushed.")
      .outputs("bucket_boundaries", DType::float32, "num_features")
      .infer_shape(giving({Shape::unknown}))));
}

}  // namespace troupe
