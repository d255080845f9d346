#include "troupe/graph/ops/all_ops.hpp"

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Status infer_pack(ShapeInference& s) {
  auto each = s.input(0);
  for (int i = 1; i < s.input_count(); ++i) {
    auto merged = each.merge(s.input(i));
    if (!merged) return merged.status();
    each = *merged;
  }
  if (!each.has_rank()) return {};
  auto axis = find_axis(s.attr<int64_t>("axis"), each.rank() + 1);
  if (!axis) return axis.status();
  std::vector<int64_t> sizes(each.sizes().begin(), each.sizes().end());
  sizes.insert(sizes.begin() + *axis, s.input_count());
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

Status infer_unpack(ShapeInference& s) {
  auto part = s.input(0);
  if (part.has_rank()) {
    auto axis = find_axis(s.attr<int64_t>("axis"), part.rank());
    if (!axis) return axis.status();
    if (!Shape{part[*axis]}.is_compatible_with({s.attr<int64_t>("num")}))
      return invalid_argument(
          "axis " + std::to_string(*axis) + " of shape " + part.to_string() +
          " must have the size " + std::to_string(s.attr<int64_t>("num")) + " of 'num'");
    std::vector<int64_t> sizes(part.sizes().begin(), part.sizes().end());
    sizes.erase(sizes.begin() + *axis);
    part = Shape(std::span<const int64_t>(sizes));
  }
  for (size_t i = 0; i < s.outputs().size(); ++i) s.set(static_cast<int>(i), part);
  return {};
}

void add_packs(OpCatalog& catalog) {
  catalog.add(Op("Pack")
      .doc("Tensors of one shape, side by side along a new axis.")
      .inputs("values", "T", "N")
      .output("output", "T")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .attr("T", all_dtypes())
      .attr("axis", 0)
      .infer_shape(infer_pack)
      .gradient([](Gradient& g) {
        auto axis = g.node().attr<int64_t>("axis");
        auto parts = g.op("Unpack", {g.dy()}, {{"num", g.input_count()}, {"axis", axis}});
        for (int i = 0; parts.is_valid() && i < g.input_count(); ++i)
          g.to_input(i, parts.output(i));
      }));
  catalog.add(Op("Unpack")
      .doc("The `num` slices of a tensor along an axis, without that axis.")
      .input("value", "T")
      .outputs("output", "T", "num")
      .attr("num", AttrType::integer)
      .attr_at_least("num", 0)
      .attr("T", all_dtypes())
      .attr("axis", 0)
      .infer_shape(infer_unpack)
      .gradient([](Gradient& g) {
        Values parts;
        for (int i = 0; i < g.node().attr<int64_t>("num"); ++i) parts.push_back(g.dy(i));
        g.to_input(0, g.op("Pack", parts, {{"axis", g.node().attr<int64_t>("axis")}}));
      }));
}

/// The size of a slice along one axis; `size` -1 stands for all from `begin` on.
Result<int64_t> slice_size(
    int64_t whole, std::optional<int64_t> begin, std::optional<int64_t> size) {
  if (begin && (*begin < 0 || (whole >= 0 && *begin > whole)))
    return invalid_argument(
        "'begin' must lie in [0, " + std::to_string(whole) + "], but is " + std::to_string(*begin));
  if (!size) return Shape::unknown;
  if (*size == -1) return begin && whole >= 0 ? whole - *begin : Shape::unknown;
  auto room = whole - begin.value_or(0);
  if (*size < -1 || (whole >= 0 && *size > room))
    return invalid_argument(
        "'size' must be -1 or at most the " + std::to_string(room) + " that there are, but is " +
        std::to_string(*size));
  return *size;
}

Status infer_slice(ShapeInference& s) {
  auto rank = static_cast<int64_t>(s.input(0).rank());
  for (int i : {1, 2}) {
    if (auto status = s.need_rank(i, 1); !status.ok()) return status;
    auto length = s.input(i).has_rank() ? s.input(i)[0] : Shape::unknown;
    if (rank < 0) rank = length;
    if (length >= 0 && length != rank)
      return invalid_argument(
          "'begin' and 'size' must have " + std::to_string(rank) + " elements, but input " +
          std::to_string(i) + " has " + std::to_string(length));
  }
  if (rank < 0 || rank > Shape::max_rank) return {};
  auto result = Shape::of_rank(static_cast<int>(rank));
  auto begin = s.constant_ints(1), size = s.constant_ints(2);
  for (int axis = 0; axis < result.rank(); ++axis) {
    auto at = [axis](const std::optional<std::vector<int64_t>>& ints) {
      return ints ? std::optional((*ints)[static_cast<size_t>(axis)]) : std::nullopt;
    };
    auto whole = s.input(0).has_rank() ? s.input(0)[axis] : Shape::unknown;
    auto part = slice_size(whole, at(begin), at(size));
    if (!part) return part.status();
    result.set(axis, *part);
  }
  s.set(0, result);
  return {};
}

/// Zeros around dy: `begin` of them before it along each axis, the rest after it.
void slice_gradient(Gradient& g) {
  auto dtype = g.in(1).dtype();
  auto sizes_of = [&](const Value& x) { return g.op("Shape", {x}, {{"out_type", dtype}}); };
  auto rest = sizes_of(g.in(0)) - sizes_of(g.dy()) - g.in(1);
  g.to_input(0, g.op("Pad", {g.dy(), g.op("Pack", {g.in(1), rest}, {{"axis", 1}})}));
}

Status infer_pad(ShapeInference& s) {
  const auto& x = s.input(0);
  const auto& paddings = s.input(1);
  if (auto status = s.need_rank(1, 2); !status.ok()) return status;
  auto rank = x.has_rank() ? x.rank() : paddings.has_rank() ? paddings[0] : Shape::unknown;
  if (rank < 0) return {};
  if (!paddings.is_compatible_with({rank, 2}) || rank > Shape::max_rank)
    return invalid_argument(
        "'paddings' must have the shape [" + std::to_string(rank) + ",2], but has " +
        paddings.to_string());
  auto result = Shape::of_rank(static_cast<int>(rank));
  auto counts = s.constant_ints(1);
  for (int axis = 0; counts && axis < result.rank(); ++axis) {
    auto before = (*counts)[static_cast<size_t>(2 * axis)];
    auto after = (*counts)[static_cast<size_t>(2 * axis + 1)];
    if (before < 0 || after < 0)
      return invalid_argument(
          "'paddings' must not be negative, but are " + s.constant(1)->to_string());
    if (x.has_rank() && x[axis] >= 0) result.set(axis, before + x[axis] + after);
  }
  s.set(0, result);
  return {};
}

void add_slices(OpCatalog& catalog) {
  catalog.add(Op("Slice")
      .doc("The part of a tensor from `begin` on, of that `size`; a size of -1 is all there is.")
      .input("input", "T")
      .input("begin", "Index")
      .input("size", "Index")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Index", indexing())
      .infer_shape(infer_slice)
      .gradient(slice_gradient));
  catalog.add(Op("Pad")
      .doc("The tensor with zeros around it: along axis i, paddings[i, 0] of them before and "
           "paddings[i, 1] after it.")
      .input("input", "T")
      .input("paddings", "Tpaddings")
      .output("output", "T")
      .attr("T", all_dtypes())
      .attr("Tpaddings", indexing(), DType::int32)
      .infer_shape(infer_pad)
      .gradient([](Gradient& g) {
        auto paddings = g.cast(g.in(1), DType::int32);
        auto before = g.op("Slice", {paddings, g.ints({0, 0}), g.ints({-1, 1})});
        auto begin = g.reshape(before, g.ints({-1}));
        g.to_input(0, g.op("Slice", {g.dy(), begin, g.shape_of(g.in(0))}));
      }));
}

Status infer_one_hot(ShapeInference& s) {
  for (int i : {1, 2, 3})
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  const auto& indices = s.input(0);
  if (!indices.has_rank()) return {};
  auto axis = find_axis(s.attr<int64_t>("axis"), indices.rank() + 1);
  if (!axis) return axis.status();
  auto depth = s.constant_ints(1);
  if (depth && depth->front() < 0)
    return invalid_argument(
        "'depth' must not be negative, but is " + std::to_string(depth->front()));
  std::vector<int64_t> sizes(indices.sizes().begin(), indices.sizes().end());
  sizes.insert(sizes.begin() + *axis, depth ? depth->front() : Shape::unknown);
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

void add_one_hot(OpCatalog& catalog) {
  catalog.add(Op("OneHot")
      .doc("Along a new axis of size `depth`, `on_value` at the position that the index says and "
           "`off_value` elsewhere; an index outside marks nothing.")
      .input("indices", "TI")
      .input("depth", DType::int32)
      .input("on_value", "T")
      .input("off_value", "T")
      .output("output", "T")
      .attr("axis", -1)
      .attr("T", all_dtypes())
      .attr("TI", {DType::uint8, DType::int32, DType::int64}, DType::int64)
      .infer_shape(infer_one_hot)
      .gradient(not_differentiable));
}

}  // namespace

void add_slicing_ops(OpCatalog& catalog) {
  add_packs(catalog);
  add_slices(catalog);
  add_one_hot(catalog);
}

}  // namespace troupe
