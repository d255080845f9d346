#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_sparse_cross(ShapeInference& s) {
  auto columns = static_cast<int>(s.attr<int64_t>("N"));
  for (int i = 0; i < s.input_count(); ++i) {
    auto is_vector = i >= columns && i < 3 * columns;
    if (auto status = s.need_rank(i, is_vector ? 1 : 2); !status.ok()) return status;
  }
  auto out = s.attr<DType>("out_type");
  auto wanted = s.attr<bool>("hashed_output") ? DType::int64 : DType::string;
  if (out != wanted)
    return invalid_argument(
        std::string("'out_type' must be ") + to_string(wanted) +
        " with that 'hashed_output', not " + to_string(out));
  s.set(0, {Shape::unknown, 2});
  s.set(1, {Shape::unknown});
  s.set(2, {2});
  return {};
}

}  // namespace

void add_sparse_cross_ops(OpCatalog& catalog) {
  const DTypes features = {DType::int64, DType::string};
  catalog.add(Op("SparseCross")
      .doc("For each row of a batch all combinations of one feature of every column, sparse or "
           "dense, as a sparse tensor: texts joined by \"_X_\", or with `hashed_output` their "
           "hashes, below num_buckets where that is not 0.")
      .inputs("indices", DType::int64, "N")
      .inputs("values", "sparse_types")
      .inputs("shapes", DType::int64, "N")
      .inputs("dense_inputs", "dense_types")
      .output("output_indices", DType::int64)
      .output("output_values", "out_type")
      .output("output_shape", DType::int64)
      .attr("N", AttrType::integer)
      .attr_at_least("N", 0)
      .attr("hashed_output", AttrType::boolean)
      .attr("num_buckets", AttrType::integer)
      .attr_at_least("num_buckets", 0)
      .attr("hash_key", AttrType::integer)
      .attr("sparse_types", AttrType::dtypes)
      .attr("dense_types", AttrType::dtypes)
      .attr("out_type", features)
      .attr("internal_type", features)
      .infer_shape(infer_sparse_cross)
      .gradient(not_differentiable));
}

}  // namespace troupe
