#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/indexing/row_partition.hpp"

namespace troupe {
namespace {

Status infer_ragged_range(ShapeInference& s) {
  Shape rows = {Shape::unknown};
  auto are_scalars = true;
  for (int i : {0, 1, 2}) {
    const auto& input = s.input(i);
    if (input.rank() > 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must be a scalar or vector, but is " +
          input.to_string());
    are_scalars = are_scalars && input.is_scalar();
    if (input.rank() != 1) continue;
    auto merged = rows.merge(input);
    if (!merged) return merged.status();
    rows = *merged;
  }
  if (are_scalars) rows = {1};
  s.set(0, {rows[0] < 0 ? rows[0] : rows[0] + 1});
  s.set(1, {Shape::unknown});
  return {};
}

/// Checks that the first inputs can be `count` vectors of splits, followed by values of at least
/// one axis.
Status check_ragged(const ShapeInference& s, int count) {
  for (int i = 0; i < count; ++i)
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
  if (s.input(count).is_scalar())
    return invalid_argument("the values of a ragged tensor must have at least rank 1, not 0");
  return {};
}

Status infer_ragged_gather(ShapeInference& s) {
  auto splits = static_cast<int>(s.attr<int64_t>("PARAMS_RAGGED_RANK"));
  auto results = static_cast<int>(s.attr<int64_t>("OUTPUT_RAGGED_RANK"));
  if (auto status = check_ragged(s, splits); !status.ok()) return status;
  auto rank = results - splits + 1;
  if (rank < 0 || rank > Shape::max_rank)
    return invalid_argument(
        "'OUTPUT_RAGGED_RANK' must be the ragged rank of the params plus the rank of the indices "
        "less 1, but is " +
        std::to_string(results));
  if (auto status = s.need_rank(splits + 1, rank); !status.ok()) return status;
  for (int i = 0; i < results; ++i) s.set(i, {Shape::unknown});
  auto values = s.input(splits);
  if (values.has_rank()) values.set(0, Shape::unknown);
  s.set(results, values);
  return {};
}

/// Which rows of the values were gathered is gathered like the values themselves.
void ragged_gather_gradient(Gradient& g) {
  auto splits = static_cast<int>(g.node().attr<int64_t>("PARAMS_RAGGED_RANK"));
  auto results = static_cast<int>(g.node().attr<int64_t>("OUTPUT_RAGGED_RANK"));
  auto shape = g.cast(g.shape_of(g.in(splits)), DType::int64);
  auto zero = g.constant<int64_t>(0), one = g.constant<int64_t>(1);
  auto first = g.op("Slice", {shape, g.ints({0}), g.ints({1})});
  auto rows = g.op("Range", {zero, g.reshape(first, g.ints({})), one});
  Values inputs;
  for (int i = 0; i < g.input_count(); ++i) inputs.push_back(i == splits ? rows : g.in(i));
  Attrs attrs = {
      {"OUTPUT_RAGGED_RANK", int64_t{results}}, {"PARAMS_RAGGED_RANK", int64_t{splits}}};
  auto gathered = g.op("RaggedGather", inputs, attrs);
  if (!gathered.is_valid()) return;
  g.to_input(splits, IndexedSlices{g.dy(results), gathered.output(results), shape});
}

Status infer_ragged_to_sparse(ShapeInference& s) {
  auto splits = static_cast<int>(s.attr<int64_t>("RAGGED_RANK"));
  if (auto status = check_ragged(s, splits); !status.ok()) return status;
  const auto& values = s.input(splits);
  auto count = values.is_known() ? values.elements() : Shape::unknown;
  auto rank = values.has_rank() ? values.rank() + splits : Shape::unknown;
  s.set(0, {count, rank});
  s.set(1, {count});
  s.set(2, {rank});
  return {};
}

void ragged_to_sparse_gradient(Gradient& g) {
  auto splits = static_cast<int>(g.node().attr<int64_t>("RAGGED_RANK"));
  g.to_input(splits, g.reshape_to_shape_of(splits, g.dy(1)));
}

/// Vectors of splits or row ids, and a scalar for the number of rows.
Status check_partitions(const ShapeInference& s, const std::vector<RowPartition>& kinds) {
  if (s.input_count() != static_cast<int>(kinds.size()) + 3)
    return invalid_argument(
        "there must be a row partition tensor for each of the " + std::to_string(kinds.size()) +
        " types, but there are " + std::to_string(s.input_count() - 3));
  for (size_t i = 0; i < kinds.size(); ++i) {
    auto rank = kinds[i] == RowPartition::first_dim_size ? 0 : 1;
    if (auto status = s.need_rank(static_cast<int>(i) + 3, rank); !status.ok()) return status;
  }
  return {};
}

Status infer_ragged_to_tensor(ShapeInference& s) {
  auto kinds = parse_row_partitions(s.attr<std::vector<std::string>>("row_partition_types"));
  if (!kinds) return kinds.status();
  if (auto status = check_partitions(s, *kinds); !status.ok()) return status;
  const auto& values = s.input(1);
  if (values.is_scalar())
    return invalid_argument("the values of a ragged tensor must have at least rank 1, not 0");
  if (s.input(0).rank() > 1)
    return invalid_argument("'shape' must be a scalar or vector, but is " + s.input(0).to_string());
  auto given = s.constant_ints(0);
  if (!given || !values.has_rank()) return {};
  auto is_open = s.input(0).is_scalar();
  auto shape = ragged_tensor_shape(
      is_open ? std::nullopt : given, values, ragged_rank(*kinds));
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_ragged_to_variant(ShapeInference& s) {
  auto splits = static_cast<int>(s.attr<int64_t>("RAGGED_RANK"));
  if (auto status = check_ragged(s, splits); !status.ok()) return status;
  const auto& outer = s.input(0);
  auto is_counted = outer.has_rank() && outer[0] > 0;
  if (!s.attr<bool>("batched_input")) s.set(0, {});
  else s.set(0, {is_counted ? outer[0] - 1 : Shape::unknown});
  return {};
}

Status infer_ragged_from_variant(ShapeInference& s) {
  auto inner = s.attr<int64_t>("input_ragged_rank");
  auto splits = static_cast<int>(s.attr<int64_t>("output_ragged_rank"));
  const auto& encoded = s.input(0);
  auto is_wrong = inner >= 0 ? encoded.rank() != splits - inner : encoded.rank() > splits;
  if (encoded.has_rank() && is_wrong)
    return invalid_argument(
        "'output_ragged_rank' must be 'input_ragged_rank' plus the rank of 'encoded_ragged', " +
        std::to_string(encoded.rank()) + ", but is " + std::to_string(splits));
  for (int i = 0; i < splits; ++i) s.set(i, {Shape::unknown});
  return {};
}

void add_variant_ops(OpCatalog& catalog) {
  catalog.add(Op("RaggedTensorToVariant")
      .doc("A ragged tensor as a variant; with `batched_input` each of its rows as one.")
      .inputs("rt_nested_splits", "Tsplits", "RAGGED_RANK")
      .input("rt_dense_values", "Tvalues")
      .output("encoded_ragged", DType::variant)
      .attr("RAGGED_RANK", AttrType::integer)
      .attr_at_least("RAGGED_RANK", 1)
      .attr("Tvalues", all_dtypes())
      .attr("Tsplits", indexing())
      .attr("batched_input", AttrType::boolean)
      .infer_shape(infer_ragged_to_variant)
      .gradient(not_differentiable));
  catalog.add(Op("RaggedTensorFromVariant")
      .doc("The ragged tensor that a variant holds; or one with a row for each variant of a "
           "vector, of a matrix a row of rows and so on. Each holds `input_ragged_rank` splits, "
           "-1 for what is left of `output_ragged_rank`.")
      .input("encoded_ragged", DType::variant)
      .outputs("output_nested_splits", "Tsplits", "output_ragged_rank")
      .output("output_dense_values", "Tvalues")
      .attr("input_ragged_rank", AttrType::integer)
      .attr_at_least("input_ragged_rank", -1)
      .attr("output_ragged_rank", AttrType::integer)
      .attr_at_least("output_ragged_rank", 1)
      .attr("Tvalues", all_dtypes())
      .attr("Tsplits", indexing())
      .infer_shape(infer_ragged_from_variant)
      .gradient(not_differentiable));
}

}  // namespace

Result<std::vector<RowPartition>> parse_row_partitions(const std::vector<std::string>& names) {
  std::vector<RowPartition> kinds;
  for (const auto& name : names) {
    if (name == "FIRST_DIM_SIZE") kinds.push_back(RowPartition::first_dim_size);
    else if (name == "VALUE_ROWIDS") kinds.push_back(RowPartition::value_rowids);
    else if (name == "ROW_SPLITS") kinds.push_back(RowPartition::row_splits);
    else return invalid_argument("there is no row partition type '" + name + "'");
  }
  if (kinds.empty()) return invalid_argument("'row_partition_types' must not be empty");
  if (std::count(kinds.begin() + 1, kinds.end(), RowPartition::first_dim_size) > 0)
    return invalid_argument("FIRST_DIM_SIZE must be the first row partition type");
  if (kinds[0] == RowPartition::value_rowids)
    return invalid_argument("VALUE_ROWIDS cannot be the first row partition type");
  auto has_size = kinds[0] == RowPartition::first_dim_size;
  if (has_size && (kinds.size() < 2 || kinds[1] != RowPartition::value_rowids))
    return invalid_argument("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS");
  return kinds;
}

int ragged_rank(const std::vector<RowPartition>& kinds) {
  return static_cast<int>(kinds.size()) - (kinds[0] == RowPartition::first_dim_size ? 1 : 0);
}

Result<Shape> ragged_tensor_shape(
    const std::optional<std::vector<int64_t>>& given, const Shape& values, int ragged_rank) {
  std::vector<int64_t> inner(values.sizes().begin() + 1, values.sizes().end());
  auto sizes = given.value_or(
      std::vector<int64_t>(static_cast<size_t>(ragged_rank) + 1 + inner.size(), Shape::unknown));
  if (sizes.size() != static_cast<size_t>(ragged_rank) + 1 + inner.size())
    return invalid_argument(
        "a shape of " + std::to_string(sizes.size()) + " axes does not fit values of shape " +
        values.to_string() + " and ragged rank " + std::to_string(ragged_rank));
  for (auto& size : sizes) size = std::max(size, Shape::unknown);
  auto wanted = Shape::make(sizes);
  if (!wanted) return wanted;
  std::vector<int64_t> outer(static_cast<size_t>(ragged_rank) + 1, Shape::unknown);
  outer.insert(outer.end(), inner.begin(), inner.end());
  auto known = Shape::make(outer);
  if (!known) return known;
  return wanted->merge(*known);
}

void add_ragged_ops(OpCatalog& catalog) {
  catalog.add(Op("RaggedRange")
      .doc("A ragged tensor with a row from each of `starts` up to its limit, in steps of its "
           "delta; a scalar stands for all rows.")
      .input("starts", "T")
      .input("limits", "T")
      .input("deltas", "T")
      .output("rt_nested_splits", "Tsplits")
      .output("rt_dense_values", "T")
      .attr(
          "T", {DType::bfloat16, DType::float32, DType::float64, DType::int32, DType::int64},
          DType::int32)
      .attr("Tsplits", indexing(), DType::int64)
      .infer_shape(infer_ragged_range)
      .gradient(not_differentiable));
  catalog.add(Op("RaggedGather")
      .doc("The rows of a ragged tensor, given by its splits from the outer to the inner and its "
           "values, that the indices name, as a ragged tensor.")
      .inputs("params_nested_splits", "Tsplits", "PARAMS_RAGGED_RANK")
      .input("params_dense_values", "Tvalues")
      .input("indices", "Tindices")
      .outputs("output_nested_splits", "Tsplits", "OUTPUT_RAGGED_RANK")
      .output("output_dense_values", "Tvalues")
      .attr("Tvalues", all_dtypes())
      .attr("Tindices", indexing())
      .attr("Tsplits", indexing(), DType::int64)
      .attr("PARAMS_RAGGED_RANK", AttrType::integer)
      .attr_at_least("PARAMS_RAGGED_RANK", 1)
      .attr("OUTPUT_RAGGED_RANK", AttrType::integer)
      .attr_at_least("OUTPUT_RAGGED_RANK", 0)
      .infer_shape(infer_ragged_gather)
      .gradient(ragged_gather_gradient));
  catalog.add(Op("RaggedTensorToSparse")
      .doc("A ragged tensor as a sparse one with an entry for each of its elements.")
      .inputs("rt_nested_splits", "Tsplits", "RAGGED_RANK")
      .input("rt_dense_values", "T")
      .output("sparse_indices", DType::int64)
      .output("sparse_values", "T")
      .output("sparse_dense_shape", DType::int64)
      .attr("RAGGED_RANK", AttrType::integer)
      .attr_at_least("RAGGED_RANK", 1)
      .attr("T", all_dtypes())
      .attr("Tsplits", indexing(), DType::int64)
      .infer_shape(infer_ragged_to_sparse)
      .gradient(ragged_to_sparse_gradient));
  catalog.add(Op("RaggedTensorToTensor")
      .doc("A ragged tensor as a dense one of that shape, of which -1 is as large as it takes (as "
           "a scalar: all of it): rows are cut off, or filled with the default value.")
      .input("shape", "Tshape")
      .input("values", "T")
      .input("default_value", "T")
      .inputs("row_partition_tensors", "Tindex", "num_row_partition_tensors")
      .output("result", "T")
      .attr("T", all_dtypes())
      .attr("Tindex", indexing())
      .attr("Tshape", indexing())
      .attr("num_row_partition_tensors", AttrType::integer)
      .attr("row_partition_types", AttrType::strings)
      .infer_shape(infer_ragged_to_tensor));
  add_variant_ops(catalog);
}

}  // namespace troupe
