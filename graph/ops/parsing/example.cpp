#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/parsing/features.hpp"

namespace troupe {
namespace {

Status check_example_attrs(const ShapeInference& s) {
  if (auto status = need_feature_types("sparse_types", s.attr<DTypes>("sparse_types"));
      !status.ok())
    return status;
  if (auto status = need_feature_types("Tdense", s.attr<DTypes>("Tdense")); !status.ok())
    return status;
  return need_dense_shapes("dense_shapes", s.attr<Shapes>("dense_shapes"), true);
}

Status infer_parse_example(ShapeInference& s) {
  auto sparse = s.attr<int64_t>("Nsparse");
  auto types = std::ssize(s.attr<DTypes>("sparse_types"));
  if (auto status = need_same_lengths({{"sparse_keys", sparse}, {"sparse_types", types}});
      !status.ok())
    return status;
  const auto& shapes = s.attr<Shapes>("dense_shapes");
  if (auto status = need_same_lengths(
          {{"dense_keys", s.attr<int64_t>("Ndense")},
           {"dense_defaults", std::ssize(s.attr<DTypes>("Tdense"))},
           {"dense_shapes", std::ssize(shapes)}});
      !status.ok())
    return status;
  if (auto status = check_example_attrs(s); !status.ok()) return status;
  auto examples = vector_length(s, 0);
  if (!examples) return examples.status();
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  OutputShapes outputs(s);
  outputs.add_sparse(sparse, 2);
  return outputs.add_dense({*examples}, shapes);
}

Status infer_parse_single_example(ShapeInference& s) {
  auto sparse = s.attr<int64_t>("num_sparse");
  if (auto status = need_same_lengths(
          {{"num_sparse", sparse},
           {"sparse_keys", std::ssize(s.attr<std::vector<std::string>>("sparse_keys"))},
           {"sparse_types", std::ssize(s.attr<DTypes>("sparse_types"))}});
      !status.ok())
    return status;
  const auto& shapes = s.attr<Shapes>("dense_shapes");
  if (auto status = need_same_lengths(
          {{"dense_keys", std::ssize(s.attr<std::vector<std::string>>("dense_keys"))},
           {"dense_defaults", std::ssize(s.attr<DTypes>("Tdense"))},
           {"dense_shapes", std::ssize(shapes)}});
      !status.ok())
    return status;
  if (auto status = check_example_attrs(s); !status.ok()) return status;
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  OutputShapes outputs(s);
  outputs.add_sparse(sparse, 1);
  return outputs.add_dense({}, shapes);
}

}  // namespace

void add_example_ops(OpCatalog& catalog) {
  catalog.add(Op("ParseExample")
      .doc("The features of serialized examples, one in each string. A sparse feature is a sparse "
           "tensor with a row for each example; a dense one has its shape in each example, or, "
           "where the first size of that is unknown, is padded to the longest by its default. "
           "Where a dense feature is missing, its default stands for it; an empty default means "
           "that none may miss it. `names`, which may be empty, name the examples in errors.")
      .input("serialized", DType::string)
      .input("names", DType::string)
      .inputs("sparse_keys", DType::string, "Nsparse")
      .inputs("dense_keys", DType::string, "Ndense")
      .inputs("dense_defaults", "Tdense")
      .outputs("sparse_indices", DType::int64, "Nsparse")
      .outputs("sparse_values", "sparse_types")
      .outputs("sparse_shapes", DType::int64, "Nsparse")
      .outputs("dense_values", "Tdense")
      .attr("Nsparse", AttrType::integer)
      .attr_at_least("Nsparse", 0)
      .attr("Ndense", AttrType::integer)
      .attr_at_least("Ndense", 0)
      .attr("sparse_types", AttrType::dtypes)
      .attr("Tdense", AttrType::dtypes)
      .attr("dense_shapes", AttrType::shapes)
      .infer_shape(infer_parse_example)
      .gradient(not_differentiable));
  catalog.add(Op("ParseSingleExample")
      .doc("The features of one serialized example, as ParseExample, without the axis of the "
           "examples and without padding.")
      .input("serialized", DType::string)
      .inputs("dense_defaults", "Tdense")
      .outputs("sparse_indices", DType::int64, "num_sparse")
      .outputs("sparse_values", "sparse_types")
      .outputs("sparse_shapes", DType::int64, "num_sparse")
      .outputs("dense_values", "Tdense")
      .attr("num_sparse", AttrType::integer)
      .attr_at_least("num_sparse", 0)
      .attr("sparse_keys", AttrType::strings)
      .attr("dense_keys", AttrType::strings)
      .attr("sparse_types", AttrType::dtypes)
      .attr("Tdense", AttrType::dtypes)
      .attr("dense_shapes", AttrType::shapes)
      .infer_shape(infer_parse_single_example)
      .gradient(not_differentiable));
}

}  // namespace troupe
