#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Axes [begin, end) of a shape with a rank.
Shape axes_between(const Shape& shape, int begin, int end) {
  return Shape(shape.sizes().subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

Result<Shape> joined(const Shape& a, const Shape& b) {
  std::vector<int64_t> sizes(a.sizes().begin(), a.sizes().end());
  sizes.insert(sizes.end(), b.sizes().begin(), b.sizes().end());
  return Shape::make(sizes);
}

/// The shape of the slices, one for each index, that the indices name in a tensor of that shape:
/// without a rank where too little is known.
Result<Shape> slices_shape(const Shape& whole, const Shape& indices) {
  if (!indices.has_rank()) return Shape::unknown_rank();
  if (indices.is_scalar())
    return invalid_argument("the indices must have at least one axis, that of their numbers");
  auto last = indices.rank() - 1;
  auto depth = indices[last];
  if (depth == Shape::unknown || !whole.has_rank()) return Shape::unknown_rank();
  if (depth > whole.rank())
    return invalid_argument(
        "indices of " + std::to_string(depth) + " numbers do not fit the shape " +
        whole.to_string() + ", which has fewer axes");
  return joined(
      axes_between(indices, 0, last),
      axes_between(whole, static_cast<int>(depth), whole.rank()));
}

Status infer_gather_nd(ShapeInference& s) {
  auto shape = slices_shape(s.input(0), s.input(1));
  if (shape) s.set(0, *shape);
  return shape.status();
}

/// Fails unless updates fit the places that the indices name in a tensor of that shape.
Status check_updates(const Shape& whole, const Shape& indices, const Shape& updates) {
  auto slices = slices_shape(whole, indices);
  if (!slices) return slices.status();
  if (slices->is_compatible_with(updates)) return {};
  return invalid_argument(
      "'updates' must have the shape " + slices->to_string() + ", for indices of shape " +
      indices.to_string() + " into " + whole.to_string() + ", but has " + updates.to_string());
}

Status infer_scatter_nd(ShapeInference& s) {
  auto whole = s.input_as_shape(2);
  if (!whole) return whole.status();
  s.set(0, *whole);
  return check_updates(*whole, s.input(0), s.input(1));
}

Status infer_tensor_scatter(ShapeInference& s) {
  s.set(0, s.input(0));
  return check_updates(s.input(0), s.input(1), s.input(2));
}

void gather_nd_gradient(Gradient& g) {
  const auto& indices = g.in(1);
  auto shape = indices.dtype() == DType::int32
                   ? g.shape_of(g.in(0))
                   : g.op("Shape", {g.in(0)}, {{"out_type", indices.dtype()}});
  g.to_input(0, g.op("ScatterNd", {indices, g.dy(), shape}));
}

/// Of a sum of a tensor and updates.
void scatter_sum_gradient(Gradient& g) {
  g.to_input(0, g.dy());
  if (g.wants(2)) g.to_input(2, g.op("GatherNd", {g.dy(), g.in(1)}));
}

void scatter_difference_gradient(Gradient& g) {
  g.to_input(0, g.dy());
  if (g.wants(2)) g.to_input(2, -g.op("GatherNd", {g.dy(), g.in(1)}));
}

void scatter_update_gradient(Gradient& g) {
  if (g.wants(0))
    g.to_input(0, g.op("TensorScatterUpdate", {g.dy(), g.in(1), g.zeros_like(g.in(2))}));
  if (g.wants(2)) g.to_input(2, g.op("GatherNd", {g.dy(), g.in(1)}));
}

/// The form of a change of a tensor at places that indices name.
Op tensor_scatter(
    const char* name, const char* doc, const char* tensor, const DTypes& dtypes,
    Op::MakeGradient gradient) {
  return Op(name)
      .doc(doc)
      .input(tensor, "T")
      .input("indices", "Tindices")
      .input("updates", "T")
      .output("output", "T")
      .attr("T", dtypes)
      .attr("Tindices", indexing())
      .infer_shape(infer_tensor_scatter)
      .gradient(std::move(gradient));
}

}  // namespace

void add_gather_nd_ops(OpCatalog& catalog) {
  catalog.add(Op("GatherNd")
      .doc("The elements or slices of `params` that indices name: the last axis of `indices` holds "
           "one number for each of the first axes of `params`. Shape: indices.shape[:-1] + "
           "params.shape[indices.shape[-1]:].")
      .input("params", "Tparams")
      .input("indices", "Tindices")
      .output("output", "Tparams")
      .attr("Tparams", all_dtypes())
      .attr("Tindices", indexing())
      .infer_shape(infer_gather_nd)
      .gradient(gather_nd_gradient));
  catalog.add(Op("ScatterNd")
      .doc("Zeros of a shape, with `updates` added at the places that `indices` name, as GatherNd "
           "reads them. Several updates of one place are summed.")
      .input("indices", "Tindices")
      .input("updates", "T")
      .input("shape", "Tindices")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tindices", indexing())
      .infer_shape(infer_scatter_nd)
      .gradient([](Gradient& g) { g.to_input(1, g.op("GatherNd", {g.dy(), g.in(0)})); }));
  catalog.add(tensor_scatter(
      "ScatterNdNonAliasingAdd",
      "The input plus `updates` at the places that `indices` name, as GatherNd reads them.",
      "input", all_plain(), scatter_sum_gradient));
  catalog.add(tensor_scatter(
      "TensorScatterAdd",
      "The tensor plus `updates` at the places that `indices` name, as GatherNd reads them.",
      "tensor", all_dtypes(), scatter_sum_gradient));
  catalog.add(tensor_scatter(
      "TensorScatterSub",
      "The tensor minus `updates` at the places that `indices` name, as GatherNd reads them.",
      "tensor", all_dtypes(), scatter_difference_gradient));
  catalog.add(tensor_scatter(
      "TensorScatterUpdate",
      "The tensor with `updates` in place of what is at the places that `indices` name, as "
      "GatherNd reads them. Of several updates of one place the last one stays.",
      "tensor", all_dtypes(), scatter_update_gradient));
}

}  // namespace troupe
