#include <algorithm>

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

/// The axis that an input names, if it is known and so is the rank that it counts in.
Result<std::optional<int>> known_axis(const ShapeInference& s, int input, const Shape& whole) {
  if (auto status = s.need_rank(input, 0); !status.ok()) return status;
  auto given = s.constant_ints(input);
  if (!given || !whole.has_rank()) return std::optional<int>();
  auto axis = find_axis(given->front(), whole.rank());
  if (!axis) return axis.status();
  return std::optional<int>(*axis);
}

void set_all(ShapeInference& s, const Shape& shape) {
  for (size_t i = 0; i < s.outputs().size(); ++i) s.set(static_cast<int>(i), shape);
}

Status infer_split(ShapeInference& s) {
  auto part = s.input(1);
  auto axis = known_axis(s, 0, part);
  if (!axis) return axis.status();
  if (!part.has_rank()) return {};
  if (part.is_scalar()) return invalid_argument("a scalar cannot be split");
  if (!*axis) {
    set_all(s, Shape::of_rank(part.rank()));
    return {};
  }
  auto count = s.attr<int64_t>("num_split"), size = part[**axis];
  if (size >= 0 && size % count != 0)
    return invalid_argument(
        "axis " + std::to_string(**axis) + " of " + part.to_string() + " cannot be split into " +
        std::to_string(count) + " equal parts");
  part.set(**axis, size >= 0 ? size / count : Shape::unknown);
  set_all(s, part);
  return {};
}

/// Replaces a size of -1 by what the others leave of the whole.
Status complete_sizes(std::vector<int64_t>& sizes, int64_t whole) {
  constexpr int64_t open = -1;
  int64_t known = 0;
  for (auto size : sizes) {
    if (size < open || size > Shape::max_elements)
      return invalid_argument("a part cannot have the size " + std::to_string(size));
    known += std::max<int64_t>(size, 0);
  }
  auto open_count = std::ranges::count(sizes, open);
  if (open_count > 1) return invalid_argument("only one size of a part can be -1");
  if (whole == Shape::unknown) return {};
  if (open_count == 0 ? known != whole : known > whole)
    return invalid_argument(
        "parts of " + std::to_string(known) + " in all cannot be made of " +
        std::to_string(whole));
  std::ranges::replace(sizes, open, whole - known);
  return {};
}

Status infer_split_v(ShapeInference& s) {
  auto part = s.input(0);
  auto count = s.attr<int64_t>("num_split");
  if (!s.input(1).is_compatible_with({count}))
    return invalid_argument(
        "'size_splits' must have the shape [" + std::to_string(count) + "], but has " +
        s.input(1).to_string());
  auto axis = known_axis(s, 2, part);
  if (!axis) return axis.status();
  if (!part.has_rank()) return {};
  if (part.is_scalar()) return invalid_argument("a scalar cannot be split");
  if (!*axis) {
    set_all(s, Shape::of_rank(part.rank()));
    return {};
  }
  auto sizes = s.constant_ints(1);
  if (sizes) {
    auto status = complete_sizes(*sizes, part[**axis]);
    if (!status.ok()) return status;
  }
  for (int i = 0; i < count; ++i) {
    part.set(**axis, sizes ? (*sizes)[static_cast<size_t>(i)] : Shape::unknown);
    s.set(i, part);
  }
  return {};
}

/// The gradients of the parts, put together again along the axis.
Value join_parts(Gradient& g, const Value& axis) {
  auto count = static_cast<int>(g.node().attr<int64_t>("num_split"));
  if (count == 1) return g.dy();
  Values parts;
  for (int i = 0; i < count; ++i) parts.push_back(g.dy(i));
  parts.push_back(axis);
  return g.op("ConcatV2", parts);
}

void add_splits(OpCatalog& catalog) {
  catalog.add(Op("Split")
      .doc("The `num_split` equal parts of a tensor, one after the other along an axis.")
      .input("split_dim", DType::int32)
      .input("value", "T")
      .outputs("output", "T", "num_split")
      .attr("num_split", AttrType::integer)
      .attr_at_least("num_split", 1)
      .attr("T", all_dtypes())
      .infer_shape(infer_split)
      .gradient([](Gradient& g) { g.to_input(1, join_parts(g, g.in(0))); }));
  catalog.add(Op("SplitV")
      .doc("The parts of a tensor, one after the other along an axis, of the sizes given there, of "
           "which one may be -1: what the others leave.")
      .input("value", "T")
      .input("size_splits", "Tlen")
      .input("split_dim", DType::int32)
      .outputs("output", "T", "num_split")
      .attr("num_split", AttrType::integer)
      .attr_at_least("num_split", 1)
      .attr("T", all_dtypes())
      .attr("Tlen", indexing(), DType::int64)
      .infer_shape(infer_split_v)
      .gradient([](Gradient& g) { g.to_input(0, join_parts(g, g.in(2))); }));
}

Status infer_unravel_index(ShapeInference& s) {
  const auto &indices = s.input(0), &dims = s.input(1);
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  if (indices.has_rank() && indices.rank() > 1)
    return invalid_argument(
        "'indices' must be a scalar or a vector, but has the shape " + indices.to_string());
  if (!indices.has_rank()) return {};
  auto rank = dims.has_rank() ? dims[0] : Shape::unknown;
  s.set(0, indices.is_scalar() ? Shape{rank} : Shape{rank, indices[0]});
  return {};
}

void add_unravel_index(OpCatalog& catalog) {
  catalog.add(Op("UnravelIndex")
      .doc("The coordinates, along each axis of a tensor of the shape `dims`, of elements that are "
           "counted in row-major order: of shape [rank] for one, [rank, n] for a vector of n.")
      .input("indices", "Tidx")
      .input("dims", "Tidx")
      .output("output", "Tidx")
      .attr("Tidx", indexing(), DType::int32)
      .infer_shape(infer_unravel_index));
}

void add_many(OpCatalog& catalog) {
  catalog.add(Op("IdentityN")
      .doc("The same values, all at once.")
      .inputs("input", "T")
      .outputs("output", "T")
      .attr("T", AttrType::dtypes)
      .attr_at_least("T", 1)
      .infer_shape([](ShapeInference& s) {
        for (int i = 0; i < s.input_count(); ++i) s.set(i, s.input(i));
        return Status();
      })
      .gradient([](Gradient& g) {
        for (int i = 0; i < g.input_count(); ++i)
          if (g.has_dy(i)) g.to_input(i, g.dy(i));
      }));
  catalog.add(Op("ShapeN")
      .doc("The sizes of the dimensions of each input.")
      .inputs("input", "T", "N")
      .outputs("output", "out_type", "N")
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .attr("T", AttrType::dtype)
      .attr("out_type", indexing(), DType::int32)
      .infer_shape([](ShapeInference& s) {
        for (int i = 0; i < s.input_count(); ++i)
          s.set(i, {s.input(i).has_rank() ? s.input(i).rank() : Shape::unknown});
        return Status();
      })
      .gradient(not_differentiable));
}

}  // namespace

void add_splitting_ops(OpCatalog& catalog) {
  add_splits(catalog);
  add_unravel_index(catalog);
  add_many(catalog);
}

}  // namespace troupe
