#include <algorithm>
#include <optional>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/sparse/sparse.hpp"

namespace troupe {
namespace {

/// For each axis, whether it is folded; nothing where the axes or the rank are not known yet.
Result<std::optional<std::vector<bool>>> folded_axes(const ShapeInference& s, int64_t rank) {
  if (s.input(3).has_rank() && s.input(3).rank() > 1)
    return invalid_argument(
        "'reduction_axes' must be a scalar or vector, but have shape " + s.input(3).to_string());
  auto axes = s.constant_ints(3);
  if (rank < 0 || rank > Shape::max_rank || !axes) return std::optional<std::vector<bool>>();
  std::vector<bool> is_folded(static_cast<size_t>(rank));
  for (auto each : *axes) {
    auto axis = find_axis(each, static_cast<int>(rank));
    if (!axis) return axis.status();
    is_folded[static_cast<size_t>(*axis)] = true;
  }
  return std::optional(is_folded);
}

Status infer_dense_result(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  auto is_folded = folded_axes(s, form->rank);
  if (!is_folded || !*is_folded) return is_folded.status();
  auto sizes = s.constant_ints(2).value_or(
      std::vector<int64_t>((*is_folded)->size(), Shape::unknown));
  std::vector<int64_t> kept;
  for (size_t axis = 0; axis < sizes.size(); ++axis)
    if (!(**is_folded)[axis]) kept.push_back(sizes[axis]);
    else if (s.attr<bool>("keep_dims")) kept.push_back(1);
  auto shape = Shape::make(kept);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_sparse_result(ShapeInference& s) {
  auto form = infer_sparse(s, 0, 1, 2);
  if (!form) return form.status();
  auto is_folded = folded_axes(s, form->rank);
  if (!is_folded) return is_folded.status();
  auto rank = Shape::unknown;
  if (s.attr<bool>("keep_dims")) rank = form->rank;
  else if (*is_folded) rank = std::ranges::count(**is_folded, false);
  s.set(0, {Shape::unknown, rank});
  s.set(1, {Shape::unknown});
  s.set(2, {rank});
  return {};
}

Op sparse_reduction(const char* name, const char* doc, const DTypes& dtypes) {
  return Op(name)
      .doc(doc)
      .input("input_indices", DType::int64)
      .input("input_values", "T")
      .input("input_shape", DType::int64)
      .input("reduction_axes", DType::int32)
      .attr("keep_dims", false)
      .attr("T", dtypes);
}

Op with_sparse_result(Op op) {
  return std::move(op)
      .output("output_indices", DType::int64)
      .output("output_values", "T")
      .output("output_shape", DType::int64)
      .infer_shape(infer_sparse_result);
}

}  // namespace

void add_sparse_reduction_ops(OpCatalog& catalog) {
  catalog.add(sparse_reduction(
      "SparseReduceMax",
      "The greatest of a sparse tensor's elements over those axes, as a dense tensor, which is 0 "
      "where there are none.",
      real())
      .output("output", "T")
      .infer_shape(infer_dense_result));
  catalog.add(with_sparse_result(sparse_reduction(
      "SparseReduceMaxSparse",
      "The greatest of a sparse tensor's elements over those axes, as a sparse tensor.", real())));
  catalog.add(with_sparse_result(sparse_reduction(
      "SparseReduceSumSparse",
      "The sums of a sparse tensor's elements over those axes, as a sparse tensor.", numeric())));
}

}  // namespace troupe
