#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/state/state.hpp"

namespace troupe {
namespace {

/// The sizes of `a` and then those of `b` from that axis on; of unknown rank where one is.
Result<Shape> join_shapes(const Shape& a, const Shape& b, int begin) {
  if (!a.has_rank() || !b.has_rank()) return Shape::unknown_rank();
  std::vector<int64_t> sizes(a.sizes().begin(), a.sizes().end());
  auto rest = b.sizes().subspan(static_cast<size_t>(begin));
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return Shape::make(sizes);
}

/// The shape of what the indices name of the variable, by single rows.
Result<Shape> shape_of_rows(const ShapeInference& s) {
  return join_shapes(s.input(1), s.handle_shape(), 1);
}

/// The same by vectors of indices, each of which names positions on the variable's first axes.
Result<Shape> shape_of_parts(const ShapeInference& s) {
  const auto& indices = s.input(1);
  if (!indices.has_rank()) return Shape::unknown_rank();
  if (indices.is_scalar()) return invalid_argument("indices must not be a scalar");
  auto variable = s.handle_shape();
  auto depth = indices[indices.rank() - 1];
  if (depth == Shape::unknown || !variable.has_rank()) return Shape::unknown_rank();
  if (depth > variable.rank())
    return invalid_argument(
        "indices of shape " + indices.to_string() + " name positions on " + std::to_string(depth) +
        " axes, but the variable has the shape " + variable.to_string());
  auto outer = indices.sizes().first(static_cast<size_t>(indices.rank()) - 1);
  return join_shapes(Shape(outer), variable, static_cast<int>(depth));
}

Status check_updates_shape(const ShapeInference& s, const Result<Shape>& expected) {
  if (!expected) return expected.status();
  if (s.input(2).is_compatible_with(*expected)) return {};
  return invalid_argument(
      "updates must have the shape " + expected->to_string() + ", but have " +
      s.input(2).to_string());
}

Status check_scatter(ShapeInference& s) {
  if (s.handle_shape().is_scalar())
    return invalid_argument("the variable is a scalar, which has no rows");
  return s.input(2).is_scalar() ? Status() : check_updates_shape(s, shape_of_rows(s));
}

Status infer_scatter(ShapeInference& s) {
  auto status = check_scatter(s);
  return status.ok() ? s.check_handle_dtype(s.attr<DType>("dtype")) : status;
}

Status check_scatter_nd(ShapeInference& s) { return check_updates_shape(s, shape_of_parts(s)); }

Status infer_scatter_nd(ShapeInference& s) {
  auto status = check_scatter_nd(s);
  return status.ok() ? s.check_handle_dtype(s.attr<DType>("T")) : status;
}

/// A scatter to what a reference names.
Op reference_scatter(
    const std::string& name, const std::string& doc, const DTypes& dtypes, Op::InferShape check) {
  return Op(name)
      .doc(doc)
      .ref_input("ref", "T")
      .input("indices", "Tindices")
      .input("updates", "T")
      .ref_output("output_ref", "T")
      .attr("T", dtypes)
      .attr("Tindices", indexing())
      .attr("use_locking", name.ends_with("Update"))
      .infer_shape(updates_reference(std::move(check)))
      .gradient(not_differentiable)
      .stateful();
}

void add_scatters(OpCatalog& catalog) {
  auto add = [&](const std::string& name, std::string doc, const DTypes& dtypes) {
    doc += " Updates of one row are applied one after the other; a scalar is for all. On an error "
           "nothing is changed.";
    catalog.add(reference_scatter(name, doc, dtypes, check_scatter));
    catalog.add(Op("Resource" + name)
        .doc(doc)
        .input("resource", DType::resource)
        .input("indices", "Tindices")
        .input("updates", "dtype")
        .attr("dtype", dtypes)
        .attr("Tindices", indexing())
        .infer_shape(infer_scatter)
        .stateful());
  };
  add("ScatterAdd", "Adds the updates to the rows of the variable that indices name.",
      numeric());
  add("ScatterSub", "Subtracts the updates from the rows of the variable.", numeric());
  add("ScatterMul", "Multiplies the rows of the variable by the updates.", numeric());
  add("ScatterDiv",
      "Divides the rows of the variable by the updates, integers towards 0.", numeric());
  add("ScatterMin", "Lowers the rows of the variable to the updates.", numeric());
  add("ScatterMax", "Raises the rows of the variable to the updates.", numeric());
  add("ScatterUpdate", "Replaces the rows of the variable that indices name.",
      all_dtypes());
}

void add_nd_scatters(OpCatalog& catalog) {
  auto add = [&](const std::string& name, std::string doc, const DTypes& of_references) {
    doc += " Each vector of the last axis of indices names positions on the variable's first axes; "
           "updates have the shape indices.shape[:-1] + variable.shape[indices.shape[-1]:]. On an "
           "error nothing is changed.";
    catalog.add(reference_scatter(name, doc, of_references, check_scatter_nd));
    catalog.add(Op("Resource" + name)
        .doc(doc)
        .input("ref", DType::resource)
        .input("indices", "Tindices")
        .input("updates", "T")
        .attr("T", all_dtypes())
        .attr("Tindices", indexing())
        .attr("use_locking", true)
        .infer_shape(infer_scatter_nd)
        .stateful());
  };
  add("ScatterNdUpdate", "Replaces parts of the variable.", all_dtypes());
  add("ScatterNdAdd", "Adds to parts of the variable.", numeric());
  add("ScatterNdSub", "Subtracts from parts of the variable.", numeric());
}

Status infer_gather_rows(ShapeInference& s) {
  auto status = s.check_handle_dtype(s.attr<DType>("dtype"));
  auto variable = s.handle_shape();
  if (variable.is_scalar())
    return invalid_argument("the variable is a scalar, which has no rows");
  const auto& indices = s.input(1);
  if (!status.ok() || !variable.has_rank() || !indices.has_rank()) return status;
  auto dims = s.attr<int64_t>("batch_dims");
  auto is_other = [&](int axis) {
    return !Shape{variable[axis]}.is_compatible_with({indices[axis]});
  };
  auto fits = variable.rank() > dims && indices.rank() >= dims;
  for (int axis = 0; fits && axis < dims; ++axis) fits = !is_other(axis);
  if (!fits)
    return invalid_argument(
        "batch_dims " + std::to_string(dims) + " does not fit a variable of shape " +
        variable.to_string() + " and indices of shape " + indices.to_string());
  auto merged = indices;
  for (int axis = 0; axis < dims; ++axis)
    if (merged[axis] == Shape::unknown) merged.set(axis, variable[axis]);
  auto shape = join_shapes(merged, variable, static_cast<int>(dims) + 1);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_gather_parts(ShapeInference& s) {
  auto shape = shape_of_parts(s);
  if (!shape) return shape.status();
  s.set(0, *shape);
  return s.check_handle_dtype(s.attr<DType>("dtype"));
}

Value variable_sizes(const Gradient& g, DType dtype) {
  return g.op("VariableShape", {g.in(0)}, {{"out_type", dtype}});
}

Value long_ints(const Gradient& g, const std::vector<int64_t>& values) {
  return g.constant(
      Tensor::of<int64_t>({std::ssize(values)}, std::span<const int64_t>(values)));
}

Value join(const Gradient& g, Values parts) {
  parts.push_back(g.constant<int32_t>(0));
  return g.op("ConcatV2", parts);
}

/// dy at the rows that were gathered, with all batches as one table of rows.
void gather_batches_gradient(Gradient& g, int64_t batch_dims) {
  auto sizes = variable_sizes(g, DType::int64);
  auto part = [&](int64_t begin, int64_t count) {
    return g.op("Slice", {sizes, long_ints(g, {begin}), long_ints(g, {count})});
  };
  auto product = [&](const Value& x) {
    return g.op("Prod", {x, g.ints({0})}, {{"keep_dims", true}});
  };
  auto batches = product(part(0, batch_dims)), length = part(batch_dims, 1);
  auto row_sizes = part(batch_dims + 1, -1);
  auto numbers = g.op("Range", {
      g.constant<int64_t>(0), g.reshape(batches, g.ints({})), g.constant<int64_t>(1)});
  auto starts = g.reshape(numbers * length, g.ints({-1, 1}));
  auto count = g.op("Size", {g.in(1)}, {{"out_type", DType::int64}});
  // Where there are no batches there are no indices either.
  auto each = g.op("Div", {
      g.reshape(count, g.ints({1})), g.op("Maximum", {batches, long_ints(g, {1})})});
  auto indices = g.reshape(g.cast(g.in(1), DType::int64), join(g, {batches, each}));
  auto places = g.reshape(indices + starts, g.ints({-1, 1}));
  auto slices = g.reshape(g.dy(), join(g, {batches * each, row_sizes}));
  auto table = g.op("ScatterNd", {places, slices, join(g, {batches * length, row_sizes})});
  g.to_input(0, g.reshape(table, sizes));
}

/// The rows that were gathered.
void gather_rows_gradient(Gradient& g) {
  auto batch_dims = g.node().attr<int64_t>("batch_dims");
  if (batch_dims > 0) return gather_batches_gradient(g, batch_dims);
  auto sizes = variable_sizes(g, DType::int32);
  auto count = g.reshape(g.op("Size", {g.in(1)}), g.ints({1}));
  auto row_sizes = g.op("Slice", {sizes, g.ints({1}), g.ints({-1})});
  g.to_input(
      0,
      {.values = g.reshape(g.dy(), join(g, {count, row_sizes})),
       .indices = g.reshape(g.in(1), g.ints({-1})),
       .dense_shape = sizes});
}

/// Rows, where the indices are known to name rows; else a tensor.
void gather_parts_gradient(Gradient& g) {
  const auto& indices = g.in(1);
  auto sizes = variable_sizes(g, indices.dtype());
  auto names_rows = indices.shape().rank() == 2 && indices.shape()[1] == 1;
  if (!names_rows) return g.to_input(0, g.op("ScatterNd", {indices, g.dy(), sizes}));
  g.to_input(
      0,
      {.values = g.dy(), .indices = g.reshape(indices, g.ints({-1})), .dense_shape = sizes});
}

void add_gathers(OpCatalog& catalog) {
  catalog.add(Op("ResourceGather")
      .doc("The rows of the variable that `indices` name, in the shape of `indices`. With "
           "batch_dims, row i of the indices is about row i of the variable, and so on.")
      .input("resource", DType::resource)
      .input("indices", "Tindices")
      .output("output", "dtype")
      .attr("batch_dims", 0)
      .attr_at_least("batch_dims", 0)
      .attr("validate_indices", true)
      .attr("dtype", all_dtypes())
      .attr("Tindices", indexing())
      .infer_shape(infer_gather_rows)
      .gradient(gather_rows_gradient)
      .stateful());
  catalog.add(Op("ResourceGatherNd")
      .doc("Parts of the variable: each vector of the last axis of `indices` names positions on "
           "its first axes.")
      .input("resource", DType::resource)
      .input("indices", "Tindices")
      .output("output", "dtype")
      .attr("dtype", all_dtypes())
      .attr("Tindices", indexing())
      .infer_shape(infer_gather_parts)
      .gradient(gather_parts_gradient)
      .stateful());
}

/// The slice itself is checked when it is known for sure: in the step.
Status check_strided_assign(ShapeInference& s) {
  auto length = Shape::of_rank(1);
  for (int i = 1; i <= 3; ++i) {
    auto merged = length.merge(s.input(i));
    if (!merged)
      return invalid_argument(
          "begin, end and strides must be vectors of one length, but input " + std::to_string(i) +
          " has the shape " + s.input(i).to_string() + " instead of " + length.to_string());
    length = *merged;
  }
  return {};
}

Status infer_strided_assign(ShapeInference& s) {
  auto status = check_strided_assign(s);
  return status.ok() ? s.check_handle_dtype(s.attr<DType>("T")) : status;
}

void add_strided_assign(OpCatalog& catalog) {
  auto add = [&](Op op, Op::InferShape infer) {
    catalog.add(std::move(op)
        .doc("Replaces the elements of the variable that StridedSlice would take from it by "
             "`value`, which is broadcast to the shape of the slice.")
        .input("begin", "Index")
        .input("end", "Index")
        .input("strides", "Index")
        .input("value", "T")
        .attr("T", all_dtypes())
        .attr("Index", indexing())
        .attr("begin_mask", 0)
        .attr("end_mask", 0)
        .attr("ellipsis_mask", 0)
        .attr("new_axis_mask", 0)
        .attr("shrink_axis_mask", 0)
        .infer_shape(std::move(infer))
        .stateful());
  };
  add(Op("ResourceStridedSliceAssign").input("ref", DType::resource), infer_strided_assign);
  add(Op("StridedSliceAssign").ref_input("ref", "T").ref_output("output_ref", "T"),
      updates_reference(check_strided_assign));
}

}  // namespace

// Ops on parts of variables. What follows from the values of indices is checked before anything is
// changed.
void add_scatter_ops(OpCatalog& catalog) {
  add_scatters(catalog);
  add_nd_scatters(catalog);
  add_gathers(catalog);
  add_strided_assign(catalog);

  catalog.add(Op("VariableShape")
      .doc("The shape of the variable's value.")
      .input("input", DType::resource)
      .output("output", "out_type")
      .attr("out_type", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        auto rank = s.handle_shape().rank();
        s.set(0, Shape{rank < 0 ? Shape::unknown : rank});
        return Status();
      })
      .gradient(not_differentiable)
      .stateful());
  catalog.add(Op("ResourceCountUpTo")
      .doc("The value of the variable, a scalar, which is then raised by 1; OutOfRange once it is "
           "`limit`.")
      .input("resource", DType::resource)
      .output("output", "T")
      .attr("limit", AttrType::integer)
      .attr("T", indexing())
      .infer_shape([](ShapeInference& s) {
        s.set(0, Shape());
        auto merged = s.handle_shape().merge(Shape());
        return merged ? s.check_handle_dtype(s.attr<DType>("T")) : merged.status();
      })
      .stateful());
}

}  // namespace troupe
