#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Outputs 0 and 1 have the shape of input 0 with k as the last size.
Status infer_chosen(ShapeInference& s, std::optional<int64_t> k) {
  const auto& x = s.input(0);
  if (k && *k < 0) return invalid_argument("k must not be negative, but is " + std::to_string(*k));
  if (!x.has_rank()) return {};
  if (x.is_scalar()) return invalid_argument("input 0 must have at least rank 1, but is a scalar");
  auto last = x.rank() - 1;
  if (k && x[last] != Shape::unknown && *k > x[last])
    return invalid_argument(
        "k is " + std::to_string(*k) + ", but a row of " + x.to_string() + " is shorter");
  auto shape = x;
  shape.set(last, k.value_or(Shape::unknown));
  s.set(0, shape);
  s.set(1, shape);
  return {};
}

Value long_vector(const Gradient& g, int64_t value) {
  return g.constant(Tensor::of<int64_t>({1}, {value}));
}

/// The size of the last axis, as an int64 vector of one element.
Value last_size(const Gradient& g, const Value& x) {
  auto shape = g.op("Shape", {x}, {{"out_type", DType::int64}});
  auto last = g.op("Sub", {g.op("Rank", {x}), g.constant<int32_t>(1)});
  auto begin = g.reshape(g.cast(last, DType::int64), g.ints({1}));
  return g.op("Slice", {shape, begin, long_vector(g, 1)});
}

/// Each derivative goes to the element that was chosen.
void top_k_gradient(Gradient& g) {
  auto length = last_size(g, g.in(0));
  auto rows = g.op("ConcatV2", {long_vector(g, -1), last_size(g, g.out(1)), g.constant(0)});
  auto chosen = g.reshape(g.cast(g.out(1), DType::int64), rows);
  auto size = g.op("Size", {g.in(0)}, {{"out_type", DType::int64}});
  auto step = g.reshape(length, g.ints({}));
  auto starts = g.op("Range", {g.constant<int64_t>(0), size, step});
  auto places = g.reshape(chosen + g.reshape(starts, g.ints({-1, 1})), g.ints({-1, 1}));
  auto all = g.reshape(size, g.ints({1}));
  auto scattered = g.op("ScatterNd", {places, g.reshape(g.dy(), g.ints({-1})), all});
  g.to_input(0, g.reshape(scattered, g.shape_of(g.in(0))));
}

void add_top_k(OpCatalog& catalog) {
  constexpr auto doc =
      "The k greatest elements of each row along the last axis, and their indices. `sorted`: the "
      "greatest first. Of equal ones that with the lower index comes first.";
  catalog.add(Op("TopK")
      .doc(doc)
      .input("input", "T")
      .output("values", "T")
      .output("indices", DType::int32)
      .attr("k", AttrType::integer)
      .attr_at_least("k", 0)
      .attr("sorted", true)
      .attr("T", real())
      .infer_shape([](ShapeInference& s) { return infer_chosen(s, s.attr<int64_t>("k")); })
      .gradient(top_k_gradient));
  catalog.add(Op("TopKV2")
      .doc(doc)
      .input("input", "T")
      .input("k", DType::int32)
      .output("values", "T")
      .output("indices", DType::int32)
      .attr("sorted", true)
      .attr("T", real())
      .infer_shape([](ShapeInference& s) -> Status {
        if (auto status = s.need_rank(1, 0); !status.ok()) return status;
        auto k = s.constant_ints(1);
        return infer_chosen(s, k ? std::optional(k->front()) : std::nullopt);
      })
      .gradient(top_k_gradient));
}

Status infer_in_top_k(ShapeInference& s) {
  if (auto status = s.need_rank(0, 2); !status.ok()) return status;
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  const auto& predictions = s.input(0);
  auto rows = Shape::of_rank(1);
  if (predictions.has_rank()) rows.set(0, predictions[0]);
  auto merged = rows.merge(s.input(1));
  if (merged) s.set(0, *merged);
  return merged.status();
}

void add_in_top_k(OpCatalog& catalog) {
  constexpr auto doc =
      "Whether the prediction for the target class of each row is among its k greatest; those that "
      "equal it do not count. False for a target that is no class, and for a row with a prediction "
      "that is not finite.";
  catalog.add(Op("InTopK")
      .doc(doc)
      .input("predictions", DType::float32)
      .input("targets", "T")
      .output("precision", DType::boolean)
      .attr("k", AttrType::integer)
      .attr("T", indexing(), DType::int32)
      .infer_shape(infer_in_top_k)
      .gradient(not_differentiable));
  catalog.add(Op("InTopKV2")
      .doc(doc)
      .input("predictions", DType::float32)
      .input("targets", "T")
      .input("k", "T")
      .output("precision", DType::boolean)
      .attr("T", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) -> Status {
        if (auto status = s.need_rank(2, 0); !status.ok()) return status;
        return infer_in_top_k(s);
      })
      .gradient(not_differentiable));
}

Status infer_nth_element(ShapeInference& s) {
  if (auto status = s.need_rank(1, 0); !status.ok()) return status;
  const auto& x = s.input(0);
  if (!x.has_rank()) return {};
  if (x.is_scalar()) return invalid_argument("input 0 must have at least rank 1, but is a scalar");
  auto last = x[x.rank() - 1];
  if (auto n = s.constant_ints(1); n && (n->front() < 0 || (last >= 0 && n->front() >= last)))
    return invalid_argument(
        "n is " + std::to_string(n->front()) + ", but the last axis of " + x.to_string() +
        " has no such element");
  s.set(0, Shape(x.sizes().first(static_cast<size_t>(x.rank() - 1))));
  return {};
}

/// Equal shares for all elements that equal the one found.
void nth_element_gradient(Gradient& g) {
  auto column = [&](const Value& value) {
    return g.op("ExpandDims", {value, g.constant<int32_t>(-1)});
  };
  auto is_found = g.cast(g.equal(column(g.out(0)), g.in(0)), g.dy().dtype());
  auto count = g.op("Sum", {is_found, g.constant<int32_t>(-1)}, {{"keep_dims", true}});
  g.to_input(0, is_found / count * column(g.dy()));
}

}  // namespace

void add_ranking_ops(OpCatalog& catalog) {
  add_top_k(catalog);
  add_in_top_k(catalog);
  catalog.add(Op("NthElement")
      .doc("The element that would be at position n of each sorted row along the last axis; "
           "`reverse`: sorted from the greatest.")
      .input("input", "T")
      .input("n", DType::int32)
      .output("values", "T")
      .attr("reverse", false)
      .attr("T", real())
      .infer_shape(infer_nth_element)
      .gradient(nth_element_gradient));
}

}  // namespace troupe
