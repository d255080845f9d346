#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// Which inputs of an op are the parts, and which the axis.
struct ConcatInputs {
  int first, count, axis;

  /// Concat has the axis first, ConcatV2 last.
  static ConcatInputs of(bool is_axis_first, int input_count) {
    return is_axis_first ? ConcatInputs{1, input_count - 1, 0}
                         : ConcatInputs{0, input_count - 1, input_count - 1};
  }
};

/// Fits one more part to the shape of those before, whose sizes along `axis` it adds up.
Status append(Shape& whole, const Shape& part, int axis) {
  auto is_known = [&](int i) { return whole[i] != Shape::unknown && part[i] != Shape::unknown; };
  for (int i = 0; i < whole.rank(); ++i) {
    if (i == axis) continue;
    if (!is_known(i)) whole.set(i, std::max(whole[i], part[i]));
    else if (whole[i] != part[i])
      return invalid_argument(
          "Dimension " + std::to_string(i) + " in both shapes must be equal, but are " +
          std::to_string(whole[i]) + " and " + std::to_string(part[i]) + ": " + whole.to_string() +
          " and " + part.to_string() + " are concatenated along axis " + std::to_string(axis));
  }
  whole.set(axis, is_known(axis) ? whole[axis] + part[axis] : Shape::unknown);
  return {};
}

Status infer_concat(ShapeInference& s, bool is_axis_first) {
  auto [first, count, axis_input] = ConcatInputs::of(is_axis_first, s.input_count());
  if (auto status = s.need_rank(axis_input, 0); !status.ok()) return status;
  int rank = -1;
  for (int i = first; i < first + count; ++i)
    if (s.input(i).has_rank()) rank = s.input(i).rank();
  if (rank < 0) return {};
  if (rank == 0) return invalid_argument("scalars cannot be concatenated, only packed");
  for (int i = first; i < first + count; ++i)
    if (auto status = s.need_rank(i, rank); !status.ok()) return status;
  auto part = [&](int i) { return s.input(i).has_rank() ? s.input(i) : Shape::of_rank(rank); };
  auto given = s.constant_ints(axis_input);
  if (!given) {
    s.set(0, Shape::of_rank(rank));
    return {};
  }
  auto axis = find_axis(given->front(), rank);
  if (!axis) return axis.status();
  auto whole = part(first);
  for (int i = first + 1; i < first + count; ++i)
    if (auto status = append(whole, part(i), *axis); !status.ok()) return status;
  auto checked = Shape::make(whole.sizes());
  if (checked) s.set(0, *checked);
  return checked.status();
}

/// Each part's gradient is the slice of dy that begins where the parts before it end.
void concat_gradient(Gradient& g, const ConcatInputs& inputs) {
  auto rank = g.op("Rank", {g.in(inputs.first)});
  auto mask_of = [&](const Value& axis) {
    return g.op("OneHot", {axis, rank, g.constant(1), g.constant(0)});
  };
  // One of the two axes lies outside and marks nothing: the second, unless it counts from the end.
  auto axis = g.cast(g.in(inputs.axis), DType::int32);
  auto along_axis = mask_of(axis) + mask_of(axis + rank);
  auto begin = g.zeros_like(along_axis);
  for (int i = inputs.first; i < inputs.first + inputs.count; ++i) {
    auto size = g.shape_of(g.in(i));
    if (g.wants(i)) g.to_input(i, g.op("Slice", {g.dy(), begin, size}));
    if (i + 1 < inputs.first + inputs.count) begin = begin + size * along_axis;
  }
}

/// The same where the axis and the sizes along it are known; false, and nothing done, elsewhere.
bool static_concat_gradient(Gradient& g, const ConcatInputs& inputs) {
  auto given = g.constant_ints(inputs.axis);
  const auto& whole = g.out(0).shape();
  if (!given || !whole.has_rank()) return false;
  auto axis = *find_axis(given->front(), whole.rank());
  auto end = inputs.first + inputs.count;
  for (int i = inputs.first; i < end; ++i)
    if (!g.in(i).shape().has_rank() || g.in(i).shape()[axis] == Shape::unknown) return false;
  std::vector<int32_t> begin(static_cast<size_t>(whole.rank()), 0);
  std::vector<int32_t> size(static_cast<size_t>(whole.rank()), -1);  // -1: all there is
  for (int i = inputs.first; i < end; ++i) {
    auto& start = begin[static_cast<size_t>(axis)];
    auto length = size[static_cast<size_t>(axis)] = static_cast<int32_t>(g.in(i).shape()[axis]);
    if (g.wants(i)) g.to_input(i, g.op("Slice", {g.dy(), g.ints(begin), g.ints(size)}));
    start += length;
  }
  return true;
}

Op::MakeGradient gradient_of_concat(bool is_axis_first) {
  return [is_axis_first](Gradient& g) {
    auto inputs = ConcatInputs::of(is_axis_first, g.input_count());
    if (!static_concat_gradient(g, inputs)) concat_gradient(g, inputs);
  };
}

Op::InferShape shape_of_concat(bool is_axis_first) {
  return [is_axis_first](ShapeInference& s) { return infer_concat(s, is_axis_first); };
}

Status infer_concat_offset(ShapeInference& s) {
  if (auto status = s.need_rank(0, 0); !status.ok()) return status;
  auto each = Shape::of_rank(1);
  for (int i = 1; i < s.input_count(); ++i) {
    auto merged = each.merge(s.input(i));
    if (!merged)
      return invalid_argument(
          "shapes must be vectors of one length, but input " + std::to_string(i) +
          " has the shape " + s.input(i).to_string());
    each = *merged;
  }
  for (int i = 0; i + 1 < s.input_count(); ++i) s.set(i, each);
  return {};
}

}  // namespace

void add_concat_ops(OpCatalog& catalog) {
  constexpr auto* doc =
      "Tensors one after the other along an axis that they have; other sizes must agree.";
  catalog.add(Op("Concat")
      .doc(doc)
      .input("concat_dim", DType::int32)
      .inputs("values", "T", "N")
      .output("output", "T")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 2)
      .attr("T", all_dtypes())
      .infer_shape(shape_of_concat(true))
      .gradient(gradient_of_concat(true)));
  catalog.add(Op("ConcatV2")
      .doc(doc)
      .inputs("values", "T", "N")
      .input("axis", "Tidx")
      .output("output", "T")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 2)
      .attr("T", all_dtypes())
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(shape_of_concat(false))
      .gradient(gradient_of_concat(false)));
  catalog.add(Op("ConcatOffset")
      .doc("Where each of the tensors of these shapes begins in what concatenates them along the "
           "axis `concat_dim`: zeros, but for that axis.")
      .input("concat_dim", DType::int32)
      .inputs("shape", "shape_type", "N")
      .outputs("offset", "shape_type", "N")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 2)
      .attr("shape_type", {DType::int32}, DType::int32)
      .infer_shape(infer_concat_offset)
      .gradient(not_differentiable));
}

}  // namespace troupe
