#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/parsing/features.hpp"

namespace troupe {
namespace {

using Keys = std::vector<std::string>;

Status check_sequence_attrs(const ShapeInference& s) {
  for (const auto* attr :
       {"context_sparse_types", "Tcontext_dense", "feature_list_sparse_types",
        "feature_list_dense_types"})
    if (auto status = need_feature_types(attr, s.attr<DTypes>(attr)); !status.ok()) return status;
  for (const auto* attr : {"context_dense_shapes", "feature_list_dense_shapes"})
    if (auto status = need_dense_shapes(attr, s.attr<Shapes>(attr), false); !status.ok())
      return status;
  auto length = [&](const char* attr) { return std::ssize(s.attr<DTypes>(attr)); };
  for (auto status :
       {need_same_lengths(
            {{"Ncontext_sparse", s.attr<int64_t>("Ncontext_sparse")},
             {"context_sparse_types", length("context_sparse_types")}}),
        need_same_lengths(
            {{"Ncontext_dense", s.attr<int64_t>("Ncontext_dense")},
             {"Tcontext_dense", length("Tcontext_dense")},
             {"context_dense_shapes", std::ssize(s.attr<Shapes>("context_dense_shapes"))}}),
        need_same_lengths(
            {{"Nfeature_list_sparse", s.attr<int64_t>("Nfeature_list_sparse")},
             {"feature_list_sparse_types", length("feature_list_sparse_types")}}),
        need_same_lengths(
            {{"Nfeature_list_dense", s.attr<int64_t>("Nfeature_list_dense")},
             {"feature_list_dense_types", length("feature_list_dense_types")},
             {"feature_list_dense_shapes",
              std::ssize(s.attr<Shapes>("feature_list_dense_shapes"))}})})
    if (!status.ok()) return status;
  return {};
}

/// Each list of keys has one for each feature of its kind.
Status check_sequence_keys(const ShapeInference& s) {
  for (const std::string kind :
       {"context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense"}) {
    auto keys = kind + "_keys";
    if (auto status = need_same_lengths(
            {{"N" + kind, s.attr<int64_t>("N" + kind)}, {keys, std::ssize(s.attr<Keys>(keys))}});
        !status.ok())
      return status;
  }
  return {};
}

Status infer_parse_sequence_example(ShapeInference& s) {
  if (auto status = check_sequence_attrs(s); !status.ok()) return status;
  if (auto status = check_sequence_keys(s); !status.ok()) return status;
  auto examples = vector_length(s, 0);
  if (!examples) return examples.status();
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  OutputShapes outputs(s);
  outputs.add_sparse(s.attr<int64_t>("Ncontext_sparse"), 2);
  auto status = outputs.add_dense({*examples}, s.attr<Shapes>("context_dense_shapes"));
  if (!status.ok()) return status;
  outputs.add_sparse(s.attr<int64_t>("Nfeature_list_sparse"), 3);
  const auto& shapes = s.attr<Shapes>("feature_list_dense_shapes");
  status = outputs.add_dense({*examples, Shape::unknown}, shapes);
  if (!status.ok()) return status;
  for (size_t i = 0; i < shapes.size(); ++i) outputs.add({*examples});
  return {};
}

Status infer_parse_single_sequence_example(ShapeInference& s) {
  if (auto status = check_sequence_attrs(s); !status.ok()) return status;
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  OutputShapes outputs(s);
  outputs.add_sparse(s.attr<int64_t>("Ncontext_sparse"), 1);
  auto status = outputs.add_dense({}, s.attr<Shapes>("context_dense_shapes"));
  if (!status.ok()) return status;
  outputs.add_sparse(s.attr<int64_t>("Nfeature_list_sparse"), 2);
  return outputs.add_dense({Shape::unknown}, s.attr<Shapes>("feature_list_dense_shapes"));
}

/// The attributes that both ops have.
Op add_sequence_attrs(Op op) {
  return std::move(op)
      .attr("Ncontext_sparse", 0)
      .attr_at_least("Ncontext_sparse", 0)
      .attr("Ncontext_dense", 0)
      .attr_at_least("Ncontext_dense", 0)
      .attr("Nfeature_list_sparse", 0)
      .attr_at_least("Nfeature_list_sparse", 0)
      .attr("Nfeature_list_dense", 0)
      .attr_at_least("Nfeature_list_dense", 0)
      .attr("context_sparse_types", AttrValue(DTypes()))
      .attr("Tcontext_dense", AttrValue(DTypes()))
      .attr("feature_list_dense_types", AttrValue(DTypes()))
      .attr("context_dense_shapes", AttrValue(Shapes()))
      .attr("feature_list_sparse_types", AttrValue(DTypes()))
      .attr("feature_list_dense_shapes", AttrValue(Shapes()))
      .gradient(not_differentiable);
}

Op sequence_example_op() {
  return Op("ParseSequenceExample")
      .doc("The features of serialized sequence examples, one in each string: those of their "
           "contexts as of ParseExample, and those in lists. A sparse list is a sparse tensor of "
           "examples, elements of the list, and values; a dense one has its shape in each element "
           "and is padded by zeros to the longest list, the lengths are results of their own. "
           "Only lists that are among feature_list_dense_missing_assumed_empty may be missing. "
           "`debug_name`, which may be empty, names the examples in errors.")
      .input("serialized", DType::string)
      .input("debug_name", DType::string)
      .inputs("context_dense_defaults", "Tcontext_dense")
      .outputs("context_sparse_indices", DType::int64, "Ncontext_sparse")
      .outputs("context_sparse_values", "context_sparse_types")
      .outputs("context_sparse_shapes", DType::int64, "Ncontext_sparse")
      .outputs("context_dense_values", "Tcontext_dense")
      .outputs("feature_list_sparse_indices", DType::int64, "Nfeature_list_sparse")
      .outputs("feature_list_sparse_values", "feature_list_sparse_types")
      .outputs("feature_list_sparse_shapes", DType::int64, "Nfeature_list_sparse")
      .outputs("feature_list_dense_values", "feature_list_dense_types")
      .outputs("feature_list_dense_lengths", DType::int64, "Nfeature_list_dense")
      .attr("feature_list_dense_missing_assumed_empty", AttrType::strings)
      .attr("context_sparse_keys", AttrType::strings)
      .attr("context_dense_keys", AttrType::strings)
      .attr("feature_list_sparse_keys", AttrType::strings)
      .attr("feature_list_dense_keys", AttrType::strings)
      .infer_shape(infer_parse_sequence_example);
}

Op single_sequence_example_op() {
  return Op("ParseSingleSequenceExample")
      .doc("The features of one serialized sequence example, as ParseSequenceExample, without the "
           "axis of the examples and without padding. `debug_name` names it in errors.")
      .input("serialized", DType::string)
      .input("feature_list_dense_missing_assumed_empty", DType::string)
      .inputs("context_sparse_keys", DType::string, "Ncontext_sparse")
      .inputs("context_dense_keys", DType::string, "Ncontext_dense")
      .inputs("feature_list_sparse_keys", DType::string, "Nfeature_list_sparse")
      .inputs("feature_list_dense_keys", DType::string, "Nfeature_list_dense")
      .inputs("context_dense_defaults", "Tcontext_dense")
      .input("debug_name", DType::string)
      .outputs("context_sparse_indices", DType::int64, "Ncontext_sparse")
      .outputs("context_sparse_values", "context_sparse_types")
      .outputs("context_sparse_shapes", DType::int64, "Ncontext_sparse")
      .outputs("context_dense_values", "Tcontext_dense")
      .outputs("feature_list_sparse_indices", DType::int64, "Nfeature_list_sparse")
      .outputs("feature_list_sparse_values", "feature_list_sparse_types")
      .outputs("feature_list_sparse_shapes", DType::int64, "Nfeature_list_sparse")
      .outputs("feature_list_dense_values", "feature_list_dense_types")
      .infer_shape(infer_parse_single_sequence_example);
}

}  // namespace

void add_sequence_example_ops(OpCatalog& catalog) {
  catalog.add(add_sequence_attrs(sequence_example_op()));
  catalog.add(add_sequence_attrs(single_sequence_example_op()));
}

}  // namespace troupe
