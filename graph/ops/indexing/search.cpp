#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/indexing/partition.hpp"

namespace troupe {
namespace {

void add_where(OpCatalog& catalog) {
  catalog.add(Op("Where")
      .doc("The coordinates of all elements that are true, or not zero, in row-major order: a row "
           "for each, with its place along each axis.")
      .input("input", "T")
      .output("index", DType::int64)
      .attr("T", all_plain(), DType::boolean)
      .infer_shape([](ShapeInference& s) {
        const auto& x = s.input(0);
        s.set(0, {Shape::unknown, x.has_rank() ? x.rank() : Shape::unknown});
        return Status();
      })
      .gradient(not_differentiable));
}

/// Outputs 1, the place among the distinct elements for each of `count`, and 2, if there is one,
/// how often each occurs.
void set_unique_indices(ShapeInference& s, int64_t count) {
  s.set(1, {count});
  if (s.outputs().size() > 2) s.set(2, {Shape::unknown});
}

Status infer_unique(ShapeInference& s) {
  if (auto status = s.need_rank(0, 1); !status.ok()) return status;
  s.set(0, {Shape::unknown});
  set_unique_indices(s, s.input(0).has_rank() ? s.input(0)[0] : Shape::unknown);
  return {};
}

Status infer_unique_v2(ShapeInference& s) {
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  auto given = s.constant_ints(1);
  auto length = s.input(1).has_rank() ? s.input(1)[0] : Shape::unknown;
  if (length > 1)
    return invalid_argument(
        "'axis' must have one element or none, but has " + std::to_string(length));
  if (length == 0) return infer_unique(s);
  auto y = s.input(0);
  if (!y.has_rank() || !given) {
    s.set(0, y.has_rank() ? Shape::of_rank(y.rank()) : y);
    set_unique_indices(s, Shape::unknown);
    return {};
  }
  auto axis = find_axis(given->front(), y.rank());
  if (!axis) return axis.status();
  set_unique_indices(s, y[*axis]);
  y.set(*axis, Shape::unknown);
  s.set(0, y);
  return {};
}

/// The ops that find distinct elements, or with an axis (V2) distinct slices. TensorFlow has no
/// gradients of them.
Op unique_op(const std::string& name) {
  auto has_axis = name.ends_with("V2"), has_counts = name.starts_with("UniqueWithCounts");
  auto op = Op(name)
      .doc(std::string(has_axis
              ? "The distinct slices of x along an axis, or with an empty `axis` the distinct "
                "elements of a vector, in the order in which they first occur, "
              : "The distinct elements of the vector x, in the order in which they first occur, ") +
          (has_counts ? "for each of x its place among them, and how often each occurs."
                      : "and for each of x its place among them."))
      .input("x", "T");
  if (has_axis) std::move(op).input("axis", "Taxis");
  std::move(op).output("y", "T").output("idx", "out_idx");
  if (has_counts) std::move(op).output("count", "out_idx");
  std::move(op).attr("T", all_dtypes());
  if (has_axis) std::move(op).attr("Taxis", indexing(), DType::int64);
  return std::move(op)
      .attr("out_idx", indexing(), DType::int32)
      .infer_shape(has_axis ? infer_unique_v2 : infer_unique);
}

Status infer_bound(ShapeInference& s) {
  for (int i : {0, 1})
    if (auto status = s.need_rank(i, 2); !status.ok()) return status;
  auto rows = [&](int i) { return s.input(i).has_rank() ? s.input(i)[0] : Shape::unknown; };
  if (!Shape{rows(0)}.is_compatible_with({rows(1)}))
    return invalid_argument(
        "'sorted_inputs' and 'values' must have as many rows, but have the shapes " +
        s.input(0).to_string() + " and " + s.input(1).to_string());
  s.set(0, s.input(1).has_rank() ? s.input(1) : Shape{rows(0), Shape::unknown});
  return {};
}

void add_bounds(OpCatalog& catalog) {
  for (auto name : {"LowerBound", "UpperBound"}) {
    auto is_lower = std::string(name) == "LowerBound";
    catalog.add(Op(name)
        .doc(is_lower ? "For each value, the place of the first element of the same row of "
                        "`sorted_inputs` that is not less."
                      : "For each value, the place of the first element of the same row of "
                        "`sorted_inputs` that is greater.")
        .input("sorted_inputs", "T")
        .input("values", "T")
        .output("output", "out_type")
        .attr("T", real())
        .attr("out_type", indexing(), DType::int32)
        .infer_shape(infer_bound));
  }
}

}  // namespace

void add_search_ops(OpCatalog& catalog) {
  add_where(catalog);
  for (auto name : {"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"})
    catalog.add(unique_op(name));
  add_bounds(catalog);
}

}  // namespace troupe
