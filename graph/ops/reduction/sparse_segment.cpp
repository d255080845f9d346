#include <limits>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The result: `count` rows as those of input 0.
Status set_rows(ShapeInference& s, int64_t count) {
  const auto& data = s.input(0);
  if (!data.has_rank()) return {};
  if (data.is_scalar())
    return invalid_argument("input 0 must have at least rank 1, but is a scalar");
  auto shape = data;
  shape.set(0, count);
  s.set(0, shape);
  return {};
}

Status check_rows(const ShapeInference& s) {
  for (int input : {1, 2})
    if (auto status = s.need_rank(input, 1); !status.ok()) return status;
  if (s.input(1).is_compatible_with(s.input(2))) return {};
  return invalid_argument(
      "indices and segment_ids must have one length, but have the shapes " +
      s.input(1).to_string() + " and " + s.input(2).to_string());
}

Status infer_sparse_segment(ShapeInference& s) {
  auto status = check_rows(s);
  return status.ok() ? set_rows(s, Shape::unknown) : status;
}

/// Input 3 says the number of rows of the result.
Status infer_counted(ShapeInference& s) {
  if (auto status = check_rows(s); !status.ok()) return status;
  if (auto status = s.need_rank(3, 0); !status.ok()) return status;
  auto given = s.constant_ints(3);
  if (given && given->front() < 0)
    return invalid_argument(
        "the number of rows of the result, " + std::to_string(given->front()) + ", is negative");
  return set_rows(s, given ? given->front() : Shape::unknown);
}

/// The number of rows of the data, an int32 scalar.
Value row_count(const Gradient& g) {
  const auto& data = g.in(0).shape();
  if (data.has_rank() && data[0] != Shape::unknown &&
      data[0] <= std::numeric_limits<int32_t>::max())
    return g.constant(static_cast<int32_t>(data[0]));
  auto first = g.op("Slice", {g.op("Shape", {g.in(0)}), g.ints({0}), g.ints({1})});
  return g.reshape(first, g.ints({}));
}

void sum_gradient(Gradient& g) {
  auto of_rows = g.op("GatherV2", {g.dy(), g.in(2), g.constant<int32_t>(0)});
  g.to_input(0, g.op("UnsortedSegmentSum", {of_rows, g.in(1), row_count(g)}));
}

Op::MakeGradient gradient_by(const char* op) {
  return [op](Gradient& g) { g.to_input(0, g.op(op, {g.dy(), g.in(1), g.in(2), row_count(g)})); };
}

struct SparseSegment {
  const char* name;
  const char* doc;
  const DTypes& dtypes;
  Op::MakeGradient gradient;
};

Op sparse_segment(const std::string& name, const std::string& doc, const SparseSegment& form) {
  return Op(name)
      .doc(doc)
      .input("data", "T")
      .input("indices", "Tidx")
      .input("segment_ids", DType::int32)
      .output("output", "T")
      .attr("T", form.dtypes)
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_sparse_segment)
      .gradient(form.gradient);
}

void add_forms(OpCatalog& catalog, const SparseSegment& form) {
  catalog.add(sparse_segment(
      form.name,
      std::string(form.doc) + " There are as many segments as the last id says, plus 1; one "
          "without rows is zeros.",
      form));
  catalog.add(sparse_segment(
      std::string(form.name) + "WithNumSegments",
      std::string(form.doc) + " There are `num_segments` segments; one without rows is zeros.",
      form)
      .input("num_segments", "Tnumsegments")
      .attr("Tnumsegments", indexing(), DType::int32)
      .infer_shape(infer_counted));
}

Op sparse_segment_gradient(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("grad", "T")
      .input("indices", "Tidx")
      .input("segment_ids", DType::int32)
      .input("output_dim0", DType::int32)
      .output("output", "T")
      .attr("T", floating())
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_counted);
}

}  // namespace

void add_sparse_segment_ops(OpCatalog& catalog) {
  add_forms(catalog, {
      .name = "SparseSegmentSum",
      .doc = "The sum of the rows of the data that the indices of each segment name: of equal ids, "
             "which must not decrease.",
      .dtypes = real(),
      .gradient = sum_gradient});
  add_forms(catalog, {
      .name = "SparseSegmentMean",
      .doc = "The mean of the rows of the data that the indices of each segment name: of equal "
             "ids, which must not decrease.",
      .dtypes = floating(),
      .gradient = gradient_by("SparseSegmentMeanGrad")});
  add_forms(catalog, {
      .name = "SparseSegmentSqrtN",
      .doc = "The sum of the rows of the data that the indices of each segment name, over the "
             "square root of their number. Segments are of equal ids, which must not decrease.",
      .dtypes = floating(),
      .gradient = gradient_by("SparseSegmentSqrtNGrad")});
  catalog.add(sparse_segment_gradient(
      "SparseSegmentMeanGrad",
      "The gradient of SparseSegmentMean with respect to its data, of `output_dim0` rows, from "
      "that with respect to its output."));
  catalog.add(sparse_segment_gradient(
      "SparseSegmentSqrtNGrad",
      "The gradient of SparseSegmentSqrtN with respect to its data, of `output_dim0` rows, from "
      "that with respect to its output."));
}

}  // namespace troupe
